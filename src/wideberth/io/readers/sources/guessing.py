"""Guess the encoding of a text that is not Unicode, with charset-normalizer."""

#: The encoding of texts that tell too little: that of most files which are not UTF-8.
FALLBACK = "cp1252"
#: Bytes that are looked at.
SAMPLE = 1 << 16
#: Bytes beyond ASCII from which on a text tells its encoding.
FEWEST_BYTES = 10
#: How much more like a language another encoding must look than Windows-1252: the code pages of Europe differ in few letters.
COHERENCE = 0.1
#: Encodings that are in use for tables and texts; without DOS and EBCDIC, which take anything for text.
ENCODINGS = (
    *(f"cp{number}" for number in (1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258, 932, 949, 950)),
    *("koi8_r", "koi8_u", "gb18030", "big5", "big5hkscs", "euc_jp", "euc_kr", "shift_jis", "iso8859_2", "iso8859_5", "iso8859_7"),
)


def likely_encodings(sample: bytes) -> list[str]:
    r"""List the encodings that a text may have, the likeliest first.

    Windows-1252 comes before other encodings of the Latin alphabet unless they look clearly more like a language. Encodings in
    which most letters are capitals inside of words, or half-width katakana, come last: short texts tell no more.

    Parameters
    ----------
    sample : bytes
        Lines of the text that are not ASCII.

    Returns
    -------
    list of str
        Empty if the text tells too little.

    Examples
    --------
    >>> likely_encodings("чай,молоко,вода,русский".encode("cp1251"))[0]
    'cp1251'
    >>> likely_encodings("thé".encode("cp1252"))
    []
    """
    if sum(byte >= 0x80 for byte in sample) < FEWEST_BYTES:
        return []
    from charset_normalizer import from_bytes  # here, so that texts in UTF-8 do not wait for it

    matches = sorted(
        from_bytes(sample, cp_isolation=list(ENCODINGS), enable_fallback=False), key=lambda match: _is_odd(str(match))
    )
    if not matches:
        return []
    western = [match for match in matches if FALLBACK in match.could_be_from_charset]
    if western and matches[0].chaos >= western[0].chaos and matches[0].coherence - western[0].coherence <= COHERENCE:
        return [FALLBACK, *(match.encoding for match in matches)]
    return [match.encoding for match in matches]


def _is_odd(text: str) -> bool:
    """Whether most letters beyond ASCII are capitals inside of words, or half-width katakana."""
    letters = odd = 0
    previous = " "
    for letter in text:
        if letter > "\x7f" and letter.isalpha():
            letters += 1
            odd += "\uff61" <= letter <= "\uff9f" or (letter.isupper() and previous.isalpha())
        previous = letter
    return 2 * odd > letters
