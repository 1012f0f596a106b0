"""The pages about all results: the front page, the rows in which a peer is ahead, and the data."""


def behind() -> str:
    return ""


def written_pages() -> None:
    return None
