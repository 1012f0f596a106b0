r"""Exact worst cases of scores that add up over the words or n-grams of a text: the lowest lead
within a number of edits.

A linear function of counts is a sum over the tokens of a text, so that its minimum over all texts
within e edits, any character of Unicode written anywhere, is the length of a shortest path. The
path that attains it spells the text.

Texts are read as the metrics ``words`` and ``ngrams`` read them, in lower case letter by letter.
That loses nothing and adds nothing: what an edit of a text changes is at most one letter of it in
lower case, and each letter that occurs in lower case can be written, since it is its own lower
case. Where a letter of the text is kept, so is its capital.
"""
