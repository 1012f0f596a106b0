"""How objects of each kind are shown: plain data (JSON) that a page turns into text, lines, bars,
images and tables.
"""

from wideberth.report.drawings.of_objects import drawing as drawing
from wideberth.report.drawings.of_pairs import difference as difference
