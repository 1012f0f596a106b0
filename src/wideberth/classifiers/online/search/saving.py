"""The state of a contextual search in a model file: which plain values are written, and how they are checked when read."""

from dataclasses import asdict
from typing import Any

import numpy as np

from wideberth.classifiers.online.knowledge import engines
from wideberth.classifiers.online.knowledge.knowledge_set import State
from wideberth.classifiers.online.search.halving import search_scales
from wideberth.classifiers.online.search.parameters import check_search_parameters
from wideberth.errors import InvalidInput
from wideberth.estimators import restored_values
from wideberth.wording import setting

_COUNTS = ("rounds_", "contradictions_", "_seed")


def state_of(model: Any) -> State:
    """Collect what a contextual search has learned, as plain values for a model file.

    Parameters
    ----------
    model : ContextualSearch
        A learner that was told an answer.

    Returns
    -------
    dict
        Numbers, texts and arrays; the keys are part of the file format.

    Raises
    ------
    InvalidInput
        If the power of the loss was changed after the first answer: the file could not tell it from the one that counts.
    """
    check_search_parameters(model)
    knowledge = model._learned_knowledge
    if model.alpha != knowledge.scales.power:
        raise InvalidInput(
            f"{setting('alpha', shown=model.alpha)} was changed after the first answer was learned, with "
            f"{setting('alpha', shown=knowledge.scales.power)}.",
            advice="Set it back with set_params, then save.",
            value=model.alpha,
        )
    known = {name: value for name, value in knowledge.state().items() if name != "scales"}
    return {"knowledge": known, **{name.strip("_"): getattr(model, name) for name in _COUNTS}}


def restored_state(model: Any, state: State) -> None:
    """Set what a contextual search knows from the state that `state_of` collected.

    The state comes from a file, so that lengths, ranges and finiteness are checked before compiled code relies on them.

    Parameters
    ----------
    model : ContextualSearch
        A learner whose parameters and ``n_features_in_`` are already set.
    state : dict
        The values from the file.

    Raises
    ------
    InvalidInput
        If a value is not possible.
    """
    check_search_parameters(model)
    dimension = restored_values.whole(vars(model), "n_features_in_", least=1, most=restored_values.ANY_POSITION) + 1
    counts = {name: restored_values.whole(state, name.strip("_"), least=0, most=restored_values.ANY_POSITION) for name in _COUNTS}
    engine = restored_values.choice(state["knowledge"], "engine", engines.ENGINES)
    noise = restored_values.number(state["knowledge"], "noise") if engine == "soft" else 0.0
    engines.check_engine(engine, dimension, noise=noise)
    scales = search_scales(dimension - 1, float(model.alpha))
    vars(model).update(counts)
    model._knowledge = engines.restored(state["knowledge"] | {"scales": asdict(scales)})
    model.guess_one(np.full(dimension - 1, 1.0))  # parameters that overflow show here
    model._latest = None
