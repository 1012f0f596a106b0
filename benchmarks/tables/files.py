"""Forty tables that install with packages, each with a column to ask for: as they are, with gaps,
dates, truth values, names and identifiers.

The list was fixed before any error on it was seen.
"""

import tarfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.outside_data import carried_by


@dataclass(frozen=True)
class Table:
    """A file of a package, and the column that is asked for.

    ``has_classes`` tells whether that column holds classes: where it does not, the right end is a
    sentence that says so. The rest is for the peers: ``names`` are columns that name rows, which an
    analyst leaves out by hand, ``dates`` those that become days, ``reading`` what pandas has to be
    told. The command line gets none of it.
    """

    package: str
    file: str
    target: str
    names: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    reading: dict[str, Any] = field(default_factory=dict)
    has_classes: bool = True

    @property
    def key(self) -> str:
        return f"{self.package}, {self.file}"

    def written(self, folder: Path) -> Path:
        """A copy of the file in a folder."""
        path = folder / Path(self.file).name
        if self.package == "sklearn":
            _write_of_scikit_learn(path)
        else:
            path.write_bytes(self._content())
        return path

    def _content(self) -> bytes:
        if self.package == "pydataset":
            packed = _carried("pydataset", "resources.tar.gz")
            with tarfile.open(packed) as archive:
                found = archive.extractfile(f"resources/rdata/csv/{self.file}")
                assert found is not None
                return found.read()
        return _carried(self.package, *_FOLDERS[self.package], self.file).read_bytes()


#: Where a package keeps its tables.
_FOLDERS = {
    "gapminder": (),
    "palmerpenguins": ("data",),
    "statsmodels": ("datasets",),
    "vega_datasets": ("_data",),
}


def _carried(package: str, *inside: str) -> Path:
    path = carried_by(package, *inside)
    assert path is not None
    return path


def _write_of_scikit_learn(path: Path) -> None:
    """What ``load_breast_cancer`` and the like give, with the names of the classes."""
    from sklearn import datasets

    loaded = getattr(datasets, f"load_{path.stem}")(as_frame=True)
    frame = loaded.frame.assign(target=loaded.target_names[loaded.target])
    frame.to_csv(path, index=False)


def _pydataset(file: str, target: str, *names: str, **more: Any) -> Table:
    return Table("pydataset", file, target, names, **more)


def _vega(file: str, target: str, *names: str, **more: Any) -> Table:
    return Table("vega_datasets", file, target, names, **more)


def _statsmodels(file: str, target: str, *names: str, **more: Any) -> Table:
    return Table("statsmodels", file, target, names, **more)


TABLES = [
    _pydataset("datasets/airquality.csv", "Month"),
    _pydataset("datasets/mtcars.csv", "cyl"),
    _pydataset("datasets/chickwts.csv", "feed"),
    _pydataset("datasets/infert.csv", "case"),
    _pydataset("datasets/esoph.csv", "agegp"),
    _pydataset("datasets/quakes.csv", "mag", has_classes=False),
    _pydataset("COUNT/titanic.csv", "survived"),
    _pydataset("ggplot2/diamonds.csv", "cut"),
    _pydataset("ggplot2/mpg.csv", "class"),
    _pydataset("ggplot2/movies.csv", "mpaa", "title"),
    _pydataset("ggplot2/msleep.csv", "vore", "name"),
    _pydataset("ggplot2/economics.csv", "unemploy", has_classes=False),
    _pydataset("reshape2/tips.csv", "sex"),
    _pydataset("MASS/biopsy.csv", "class", "ID"),
    _pydataset("MASS/Cars93.csv", "Type", "Model", "Make"),
    _pydataset("MASS/UScereal.csv", "mfr"),
    _pydataset("MASS/survey.csv", "Smoke"),
    _pydataset("MASS/fgl.csv", "type"),
    _pydataset("car/Chile.csv", "vote"),
    _pydataset("rpart/stagec.csv", "pgstat"),
    _pydataset("rpart/car90.csv", "Type"),
    _pydataset("survival/pbc.csv", "status", "id"),
    _pydataset("vcd/Arthritis.csv", "Improved", "ID"),
    _pydataset("vcd/SpaceShuttle.csv", "Fail", "FlightNumber"),
    _pydataset("vcd/Baseball.csv", "team87"),
    _pydataset("Ecdat/Treatment.csv", "ethn"),
    _vega("seattle-weather.csv", "weather", dates=("date",)),
    _vega("airports.csv", "state", "iata", "name"),
    _vega("cars.json", "Origin", dates=("Year",)),
    _vega("barley.json", "site"),
    _vega("la-riots.csv", "gender", "first_name", "last_name", "address", dates=("death_date",)),
    _vega("stocks.csv", "symbol", dates=("date",)),
    _vega("us-employment.csv", "month", has_classes=False),
    Table(
        "palmerpenguins",
        "penguins-raw.csv",
        "Species",
        ("Sample Number", "Individual ID"),
        dates=("Date Egg",),
    ),
    Table("gapminder", "gapminder.csv", "continent"),
    _statsmodels("anes96/anes96.csv", "vote", reading={"sep": "\t", "quotechar": "'"}),
    _statsmodels("modechoice/modechoice.csv", "mode", "individual", reading={"sep": ";"}),
    _statsmodels("spector/spector.csv", "GRADE", "OBS", reading={"sep": " ", "quotechar": "'"}),
    _statsmodels("fair/fair.csv", "affairs", has_classes=False),
    Table("sklearn", "breast_cancer.csv", "target"),
]
