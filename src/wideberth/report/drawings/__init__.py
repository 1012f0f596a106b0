"""How objects of each kind are shown: plain data (JSON) that a page turns into text, lines, bars,
images and tables.
"""

from wideberth.report.drawings.objects_drawn import difference as difference
from wideberth.report.drawings.objects_drawn import drawing as drawing
from wideberth.report.drawings.tables_drawn import row_drawing as row_drawing
