"""The types of arrays, named once: what an array holds, whatever its shape."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
#: Positions of objects, numbers of classes.
Indices = NDArray[np.intp]
Flags = NDArray[np.bool_]
#: Integers that files and compiled code hold in 64 bits on every machine.
Integers = NDArray[np.int64]
