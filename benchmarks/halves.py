"""Two files of the records of one, cut at random: one to learn from, one to ask about."""

import json
from pathlib import Path

import numpy as np

from benchmarks.data import Indices, Labels


def halves(
    path: Path, folder: Path, header: str | None = None, most: int | None = None
) -> tuple[Path, Path]:
    """The records of a file, or ``most`` of them, in two files like it, at random; ``header`` names
    the columns of a file that does not.
    """
    named = [folder / f"{each}{path.suffix}" for each in ("known", "asked")]
    if path.suffix == ".npz":
        arrays: dict[str, Labels] = dict(np.load(path))
        for place, chosen in zip(named, _cut(len(arrays["y"])), strict=True):
            np.savez(place, **{name: array[chosen] for name, array in arrays.items()})
    elif path.suffix == ".json":
        entries = json.loads(path.read_text(encoding="utf-8"))
        for place, chosen in zip(named, _cut(len(entries), most), strict=True):
            place.write_text(json.dumps([entries[i] for i in chosen]), encoding="utf-8")
    else:
        lines = path.read_text(encoding="utf-8").splitlines()
        names = [header] if header is not None else lines[:1] if path.suffix == ".csv" else []
        records = lines if header is not None else lines[len(names) :]
        for place, chosen in zip(named, _cut(len(records), most), strict=True):
            place.write_text(
                "\n".join([*names, *(records[i] for i in chosen)]) + "\n", encoding="utf-8"
            )
    return named[0], named[1]


def _cut(n: int, most: int | None = None) -> list[Indices]:
    order = np.random.default_rng(0).permutation(n)[:most]
    return [np.sort(order[: len(order) // 2]), np.sort(order[len(order) // 2 :])]
