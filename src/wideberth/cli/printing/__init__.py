"""What commands print: remarks that ``--quiet`` drops, facts as JSON, tables, and what is odd about
new objects.
"""
