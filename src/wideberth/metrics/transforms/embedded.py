"""The distance between the vectors that an encoder of the user makes of objects."""

from collections.abc import Callable, Hashable, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats, Objects
from wideberth.errors import InvalidInput
from wideberth.metrics.containers import PartsSample
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.transforms.promise_rules import closed, known_teachers
from wideberth.metrics.vectors.minkowski import prepare_vectors
from wideberth.objects import sample
from wideberth.objects.digests import Digests
from wideberth.rounding import DistanceErrors
from wideberth.wording import python, setting

#: What turns a list of objects into an array with a row of numbers for each.
Encoder = Callable[[list[Any]], Any]

#: Bytes of vectors that are kept, so that folds and later calls do not encode an object again.
MOST_KEPT = 256_000_000
#: What an encoder of texts is recognised by: its vectors of these.
PROBES = ("A cup of tea.", "The train to Ulm leaves at seven.", "rum")
#: How far numbers of these vectors may be off, as a share of the largest one: an encoder rounds in
#: another way on another machine, and another encoder has other numbers.
_SAME = 1e-3


class Embedded(Metric):
    r"""The distance :math:`d(f(x), f(y))` between the vectors that an encoder f makes of objects.

    f is yours: sentence vectors, a protein language model, a fingerprint, a pretrained network. It
    gets a list of objects and returns an array with a row for each; an object with a method
    ``encode``, as of sentence-transformers, or a fitted transformer of scikit-learn does, too. An
    object that can be a key of a dict (a text, a tuple) is encoded once, however many folds and
    models ask for it, as long as 256 MB hold the vectors.

    The triangle inequality, a Hilbert space and negative type are kept, whatever f is: they hold
    for any points f(x). It does not separate what f does not; bounded is what is bounded on all
    vectors.

    **What a radius means.** Certified radii are distances between vectors: they hold for whatever
    moves f(x) by less. How far an edit of a text moves f(x) is not known, so no radius in edits
    follows.

    A model file names the encoder and has the vectors of three short texts, no code; who loads it
    passes the encoder, and one that is called otherwise or has other vectors is refused
    (`wideberth.load`).

    Parameters
    ----------
    encode : callable, or an object with a method ``encode`` or ``transform``
        The encoder f.
    metric : Metric, default=Angular()
        The distance d between vectors.
    name : str, optional
        What the encoder is called in messages and model files; by default by its own name. Give the
        version of pretrained weights.
    accepts : {"strings", "molecules", "objects", ...}, default="strings"
        The kind of objects that it takes, see `wideberth.Metric`.

    Examples
    --------
    >>> def letters(texts):
    ...     return [[text.count(letter) for letter in "aeiou"] for text in texts]
    >>> from wideberth.metrics.vectors.minkowski import Euclidean
    >>> Embedded(letters, Euclidean())("tea", "rum")
    1.7320508075688772
    """

    call: ClassVar[str] = "embedded"
    _from_user = True

    def __init__(
        self, encode: Any, metric: Metric, *, name: str | None = None, accepts: Kind = "strings"
    ) -> None:
        self._function = _function_of(encode)
        if not isinstance(metric, Metric) or metric.accepts != "vectors":
            raise InvalidInput(
                f"{type(self).__name__} needs a metric on vectors, not {metric!r}.",
                advice=f"{python('wideberth.transforms.embedded')}(encode, 'angular') measures the "
                "angle.",
                value=metric,
            )
        self.encode, self.metric, self.accepts = encode, metric, accepts
        self.encoder_name = name or getattr(encode, "__name__", type(encode).__name__)
        self.parallel = metric.parallel
        self._kept: dict[Hashable, NDArray[Any]] = {}  # shared by copies, such as those of folds

    @property
    def name(self) -> str:
        """The call that makes it."""
        return f"{self.call}({self.encoder_name}, {self.metric.name})"

    @property
    def promises(self) -> Promises:
        """What the metric on vectors has, which its images keep; nothing is known of what it lacks."""
        known = closed(self.metric.promises)
        return Promises(
            obeys_triangle=known.obeys_triangle or None,
            hilbertian=known.hilbertian or None,
            negative_type=known.negative_type or None,
            bounded=known.bounded or None,
            step=known.step,
        )

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; see `wideberth.Metric.get_params`."""
        inner = {f"metric__{key}": value for key, value in self.metric.get_params().items()}
        return {
            "encode": self.encode,
            "metric": self.metric,
            "name": self.encoder_name,
            "accepts": self.accepts,
        } | (inner if deep else {})

    def __copy__(self) -> Self:
        """Copies of this process share the vectors."""
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        return twin

    def __getstate__(self) -> dict[str, Any]:
        """Other processes encode what they need, instead of copying all vectors."""
        return self.__dict__ | {"_kept": {}}

    def fitted(self, objects: Objects) -> "Metric":
        """Return the same encoder with the metric fitted to the vectors; itself if that learns
        nothing.
        """
        fitted = self.metric.fitted(self.prepare(objects).parts[0])
        if fitted is self.metric:
            return self
        made = type(self)(self.encode, fitted, name=self.encoder_name, accepts=self.accepts)
        made._kept = self._kept
        made._taught_by = self.digests(objects, None)
        return made

    @property
    def taught_by(self) -> Digests | None:
        """What `fitted` took parameters from; what taught the inner metric before is not known, as
        it knows vectors.
        """
        return known_teachers(self._taught_by, [self.metric], same_objects=False)

    def prepare(self, objects: Objects) -> PartsSample:
        """Encode the objects, and prepare their vectors by the inner metric."""
        if isinstance(objects, PartsSample):
            return PartsSample((self.metric.prepare(objects.for_metrics(1)[0]),))
        held = sample.hold(objects, rows=self.accepts == "rows")
        return PartsSample((self.metric.prepare(self._vectors(list(sample.one_by_one(held)))),))

    def alike_digests(self, prepared: PartsSample) -> Digests | None:
        """Those of the vectors; see `wideberth.Metric.alike_digests`."""
        return self.metric.alike_digests(prepared.parts[0])

    def distance_errors(self, prepared: PartsSample) -> DistanceErrors:
        """Those of the inner metric: the distance is defined on the vectors as the encoder returns
        them.
        """
        return self.metric.distance_errors(prepared.parts[0])

    def nanoseconds(self, prepared: PartsSample) -> float:
        """Those of the inner metric: an object is encoded only once."""
        return self.metric.nanoseconds(prepared.parts[0])

    def in_file(self) -> dict[str, Any]:
        """What a model file says of the encoder: its name, and what it is recognised by."""
        probes = self._encoded(list(PROBES)) if self.accepts == "strings" else None
        return {"encoder": self.encoder_name, "accepts": self.accepts, "probes": probes}

    @classmethod
    def from_file(cls, told: Mapping[str, Any], metric: Metric, encode: Any) -> Self:
        """The metric that a model file tells of, with the encoder of whoever loads it; an
        `InvalidInput` if there is none, or another one.
        """
        name, accepts, probes = told["encoder"], told["accepts"], told["probes"]
        if not isinstance(name, str) or not isinstance(accepts, str):
            raise ValueError("an encoder has a name and a kind of objects")
        given = encode.get(name) if isinstance(encode, Mapping) else encode
        if given is None:
            raise InvalidInput(
                f"The model measures what the encoder {name!r} makes of objects, which is code of "
                "its author and not in the file.",
                advice=f"In Python, {python('wideberth.load')}(path, encode=...) takes it.",
                value=name,
            )
        made = cls(given, metric, name=name, accepts=accepts)  # type: ignore[arg-type]
        if probes is not None:
            vectors = made._encoded(list(PROBES))
            if np.shape(probes) != vectors.shape or not np.allclose(
                vectors, probes, rtol=0.0, atol=_SAME * float(np.abs(probes).max(initial=0.0))
            ):
                raise InvalidInput(
                    f"The encoder has other vectors than {name!r}, with which the model was "
                    "learned.",
                    advice="Pass the same one, with the same weights.",
                    value=name,
                )
        return made

    def _measure(self, left: PartsSample, right: PartsSample) -> Distances:
        return self.metric._distances(left.parts[0], right.parts[0])

    def _vectors(self, objects: list[Any]) -> Floats:
        """A vector for each object, from the encoder for those that are not kept."""
        if not objects:
            return np.empty((0, 1))
        if not all(isinstance(each, Hashable) for each in objects):
            return self._encoded(objects)
        # what `==` calls equal need not be so to an encoder: 1, 1.0 and True
        keys = [(type(each), each) for each in objects]
        known = {key: self._kept[key] for key in keys if key in self._kept}
        new = {key: each for key, each in zip(keys, objects, strict=True) if key not in known}
        if new:
            found = self._encoded(list(new.values()))
            size = found[0].nbytes
            if (len(self._kept) + len(new)) * size > MOST_KEPT:
                self._kept.clear()
            if len(new) * size <= MOST_KEPT:
                self._kept.update(zip(new, found, strict=True))
            known |= dict(zip(new, found, strict=True))
        lengths = sorted({len(row) for row in known.values()})
        if len(lengths) > 1:
            raise self._refusal(f"vectors of {lengths[0]} and of {lengths[-1]} numbers", objects)
        return np.stack([known[key] for key in keys])

    def _encoded(self, objects: list[Any]) -> Floats:
        """What the encoder returns, after a check."""
        returned = self._function(objects)
        array = np.asarray(returned.toarray() if hasattr(returned, "toarray") else returned)
        if array.shape[:1] != (len(objects),) or array.ndim != 2 or array.dtype.kind not in "fiub":
            raise self._refusal(f"an array of {array.dtype} with shape {array.shape}", objects)
        wrong = ~np.isfinite(array).all(axis=1)
        if wrong.any():
            raise self._refusal("NaN or infinity", [objects[int(wrong.argmax())]])
        return prepare_vectors(array.astype(np.float64))

    def _refusal(self, returned: str, objects: list[Any]) -> InvalidInput:
        few = f"{len(objects)} objects" if len(objects) > 1 else sample.shown(objects[0])
        return InvalidInput(
            f"The encoder {self.encoder_name!r} returned {returned} for {few}.",
            advice="It gets a list of objects and returns an array with a row of numbers for each, "
            "all of one length.",
            witness=objects[0],
            value=returned,
        )


def _function_of(encode: Any) -> Encoder:
    """What is called: a method of an encoder, or the function itself."""
    for name in ("encode", "transform"):
        method = getattr(encode, name, None)
        if callable(method) and not isinstance(encode, type | str):  # texts encode themselves
            function: Encoder = method
            return function
    if not callable(encode):
        raise InvalidInput(
            f"{setting('encode', shown=sample.shown(encode))} is no encoder.",
            advice="Pass a function of a list of objects, or an object with a method 'encode' or "
            "'transform'.",
            value=encode,
        )
    plain: Encoder = encode
    return plain
