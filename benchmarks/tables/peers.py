"""Trees on a table as an analyst would give it to them: read by pandas, gaps filled, categories
encoded.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.tables.files import Table

#: How the columns of labels are empty in these tables. pandas takes "None" for a gap, which is a
#: class in one of them.
_UNLABELLED = ("", "NA")


def labels_in(path: Path, table: Table) -> NDArray[Any]:
    """The labels of a file as texts; empty where there is none."""
    column = _read(path, table, dtype=str, keep_default_na=False)[table.target].astype(str)
    return np.array(["" if each in _UNLABELLED else each for each in column.str.strip()])


def columns_in(path: Path, table: Table) -> Any:
    """A frame of the columns to learn from, those without a name or with the names of rows left
    out, dates as days.
    """
    import pandas as pd

    frame = _read(path, table).drop(columns=[table.target, *table.names])
    frame = frame.loc[:, [not str(name).startswith("Unnamed:") for name in frame.columns]]
    for name in table.dates:
        days = pd.to_datetime(frame[name], format="mixed") - pd.Timestamp("1970-01-01")
        frame[name] = days / pd.Timedelta(days=1)
    truths = frame.select_dtypes(bool).columns
    return frame.astype(dict.fromkeys(truths, float))


def _read(path: Path, table: Table, **options: Any) -> Any:
    import pandas as pd

    if path.suffix == ".json":
        return pd.read_json(path, convert_dates=False)
    return pd.read_csv(path, **(table.reading | options))


def peers() -> dict[str, Callable[[Any], Any]]:
    """For each its name and what makes a pipeline for a frame: settings are scikit-learn's, but
    for 500 trees.
    """
    return {"HistGB": _gradient_boosting, "random forest": _random_forest}


def _gradient_boosting(frame: Any) -> Any:
    """Takes gaps in numbers as they are; categories by their codes."""
    from sklearn.compose import make_column_transformer
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OrdinalEncoder

    numbers, categories = _kinds(frame)
    codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan)
    return make_pipeline(
        make_column_transformer(("passthrough", numbers), (codes, categories)),
        HistGradientBoostingClassifier(random_state=0),
    )


def _random_forest(frame: Any) -> Any:
    """Numbers with the median in their gaps; categories with the most frequent one, a column for
    each.
    """
    from sklearn.compose import make_column_transformer
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    numbers, categories = _kinds(frame)
    encoded = make_pipeline(
        SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore")
    )
    return make_pipeline(
        make_column_transformer((SimpleImputer(strategy="median"), numbers), (encoded, categories)),
        RandomForestClassifier(500, random_state=0),
    )


def _kinds(frame: Any) -> tuple[list[str], list[str]]:
    """The columns of numbers, and the others; those that are empty are neither."""
    filled = frame.loc[:, frame.notna().any()]
    numbers = list(filled.select_dtypes("number").columns)
    return numbers, [name for name in filled.columns if name not in numbers]
