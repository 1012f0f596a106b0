"""How results are shown: a class states its facts once, as a `Card`, and people read them as plain
text in a terminal or as HTML in a notebook.
"""
