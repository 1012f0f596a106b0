"""Names for the types of arrays in annotations: what an array contains, of any shape."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
#: Positions of objects, codes of classes.
Indices = NDArray[np.intp]
Flags = NDArray[np.bool_]
#: Integers of 64 bits on every platform, for files and compiled code.
Integers = NDArray[np.int64]
