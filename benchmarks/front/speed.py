"""How long it takes to fit and to answer beside peers, in one sentence each, from the results that
there are.
"""

from typing import Any

import numpy as np

from benchmarks.auto.accuracy import PEERS
from benchmarks.auto.tables import OURS, Row, rows_of

#: Peers on fewer sets are left to the page of the automatic choice.
FEWEST_SETS = 6


def speed(results: dict[str, Any]) -> str:
    """Fitting and answering of the automatic choice beside its peers; nothing without its
    results.
    """
    if "auto.accuracy" not in results:
        return ""
    rows = rows_of(results["auto.accuracy"]["facts"]["outcomes"])
    ran = {peer: [row for row in rows if peer in row.outcomes] for peer in PEERS}
    often = {peer: on for peer, on in ran.items() if len(on) >= FEWEST_SETS}
    fits = np.median([row.seconds(OURS, "cpu") for row in rows])
    answers = np.median(
        [1e3 * row.seconds(OURS, "answer_cpu") / row.outcomes[OURS][0]["asked"] for row in rows]
    )
    return SPEED.format(
        sets=len(rows),
        fits=fits,
        answers=answers,
        fitting=_beside(often, "cpu"),
        answering=_beside(often, "answer_cpu"),
    )


def _beside(ran: dict[str, list[Row]], clock: str) -> str:
    """For each peer the median over sets of the ratio of times."""
    ratios = {
        peer: np.median([row.seconds(OURS, clock) / row.seconds(peer, clock) for row in on])
        for peer, on in ran.items()
    }
    return ", ".join(f"{float(f'{ratio:.2g}'):,g} ({peer})" for peer, ratio in ratios.items())


SPEED = """\
**How fast?** `AutoClassifier`, which compares many models on several metrics, fits in {fits:.1f} s of CPU time and answers in
{answers:.2f} ms an object (medians over [{sets} sets](auto.md), distances included). As multiples of the peers' times, settings
chosen: *fitting* {fitting}; *answering* {answering}. One model with its settings chosen: *Choosing settings*, below."""
