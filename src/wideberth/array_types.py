"""Names for the types of arrays, samples and labels in annotations."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

#: Arrays are named by what they contain, and have any shape.
Floats = NDArray[np.float64]
#: Positions of objects, codes of classes.
Indices = NDArray[np.intp]
Flags = NDArray[np.bool_]
#: Integers of 64 bits on every platform, for files and compiled code.
Integers = NDArray[np.int64]

#: Objects as a caller passes them: a list, an array, a column or a frame, a table of pyarrow.
#: `wideberth.objects.sample.hold` takes them all, and says what it makes of each.
Objects: TypeAlias = Any
#: Objects as `wideberth.objects.sample.hold` keeps them or a metric prepared them: an array, a
#: frame, or a container with ``take``. They share no base class; `wideberth.objects.sample` counts,
#: picks and joins them.
Sample: TypeAlias = Any
#: Labels as a caller passes them: a list, an array or a column, of texts, numbers or truth values.
Labels: TypeAlias = Any
