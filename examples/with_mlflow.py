"""A model in MLflow: a model file is the artifact, a few lines of `PythonModel` serve it with
labels, probabilities and radii.

It needs ``pip install mlflow-skinny pandas``. In a run, `mlflow.pyfunc.log_model` takes the same
arguments as `save_model`.
"""

import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import wideberth as wb


def log_and_load(folder: Path) -> None:
    """Log a model of first names, load it as MLflow does, and ask it."""
    import mlflow
    import pandas

    class Served(mlflow.pyfunc.PythonModel):
        """A model file of wideberth as a function of a table of names."""

        def load_context(self, context: Any) -> None:
            self.model = wb.load(context.artifacts["model"])

        def predict(
            self, context: Any, model_input: pandas.DataFrame, params: Any = None
        ) -> pandas.DataFrame:
            names = model_input["name"].tolist()
            return pandas.DataFrame(
                {
                    "label": self.model.predict(names),
                    "probability": self.model.predict_proba(names).max(axis=1),
                    "radius": self.model.certified_radius(names),
                }
            )

    names, sexes = wb.datasets.load_first_names()
    model = wb.NeighborsClassifier("levenshtein", n_neighbors=5).fit(names, sexes)
    wb.save(model, folder / "names.wb")
    mlflow.pyfunc.save_model(
        str(folder / "served"),
        python_model=Served(),
        artifacts={"model": str(folder / "names.wb")},
        pip_requirements=["wideberth"],
    )
    served = mlflow.pyfunc.load_model(str(folder / "served"))
    answers = served.predict(pandas.DataFrame({"name": ["Annalena", "Sebastiano"]}))
    assert np.array_equal(answers["label"], model.predict(["Annalena", "Sebastiano"]))
    print(answers.to_string(index=False))


if find_spec("mlflow") is None:
    print("MLflow is not installed: pip install mlflow-skinny.")
else:
    with tempfile.TemporaryDirectory() as place:
        log_and_load(Path(place))
