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

    Windows-1252 comes before other encodings of the Latin alphabet unless they look clearly more like a language.

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
    >>> likely_encodings("чай,русский\nмолоко,русский\nвода,русский".encode("koi8_r"))[0]
    'koi8_r'
    >>> likely_encodings("thé".encode("cp1252"))
    []
    """
    if sum(byte >= 0x80 for byte in sample) < FEWEST_BYTES:
        return []
    from charset_normalizer import from_bytes  # here, so that texts in UTF-8 do not wait for it

    matches = list(from_bytes(sample, cp_isolation=list(ENCODINGS), enable_fallback=False))
    if not matches:
        return []
    western = [match for match in matches if FALLBACK in match.could_be_from_charset]
    if western and matches[0].chaos >= western[0].chaos and matches[0].coherence - western[0].coherence <= COHERENCE:
        return [FALLBACK, *(match.encoding for match in matches)]
    return [match.encoding for match in matches]
