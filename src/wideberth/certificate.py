"""`Certificate`: what is proved about a classifier, as a number, a sentence, and the assumptions
under which it holds.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from math import inf, isfinite, isnan, log
from numbers import Integral, Real
from typing import Any, Self

from wideberth.bounds.named import BOUNDS, Evidence, Number
from wideberth.cards.card import Card, Cell, Shown, ShownList, Table, Tone, as_text
from wideberth.cards.values import number
from wideberth.errors import InvalidInput
from wideberth.wording import python, setting

#: The placeholder of the value in a claim.
VALUE = "{value}"


@dataclass(frozen=True, repr=False)
class Certificate(Shown):
    """A proved statement about a classifier.

    Parameters
    ----------
    statement : str
        A sentence. It holds with probability at least ``confidence`` if all assumptions do.
    value : float
        The number that is proved, for most kinds an upper bound on the error, which is then at most
        1.
    kind : str
        The method, for example "holdout" or "preferent compression".
    confidence : float or None
        1 - delta, over the random choice of the sample; None if nothing is random.
    assumptions : tuple of str
        Sentences that have to be true.
    evidence : dict from str to number
        The numbers from which the value was computed.
    guessing : float or None
        The error, or the loss, of guessing without a look at the objects, if it is known.
    void : tuple of str
        Why nothing is proved after all: assumptions that the data contradict or that cannot be
        checked. The value means nothing.
    bound : str or None
        The name of the formula (in ``BOUNDS``) if the evidence alone determines the value at every
        delta; see `at`.
    claim : str or None
        The statement with "{value}" in place of the number, if ``bound`` is given.

    Examples
    --------
    >>> proved = Certificate(
    ...     "At most 3 of 100 new objects are misclassified.",
    ...     value=0.03,
    ...     kind="holdout",
    ...     confidence=0.95,
    ...     assumptions=("The held-out objects are drawn like the new ones, independently.",),
    ...     evidence={"errors": 2, "n": 200},
    ...     guessing=0.5,
    ... )
    >>> proved.vacuous
    False
    >>> print(proved)
    At most 3 of 100 new objects are misclassified.
    value: 0.03 (holdout), with confidence 95%
    holds if: The held-out objects are drawn like the new ones, independently.
    not vacuous: guessing has 0.5
    """

    statement: str
    value: float
    kind: str
    confidence: float | None = None
    assumptions: tuple[str, ...] = ()
    evidence: dict[str, Number] = field(default_factory=dict, hash=False)
    guessing: float | None = None
    void: tuple[str, ...] = ()
    bound: str | None = None
    claim: str | None = None

    def __post_init__(self) -> None:
        """Convert numbers of NumPy to those of Python, so that equal certificates print and are
        saved in the same way.
        """
        plain = {
            "value": float(self.value),
            "confidence": None if self.confidence is None else float(self.confidence),
            "assumptions": tuple(self.assumptions),
            "evidence": {
                name: int(n) if isinstance(n, Integral) else float(n)
                for name, n in self.evidence.items()
            },
            "guessing": None if self.guessing is None else float(self.guessing),
            "void": tuple(self.void),
        }
        for name, value in plain.items():
            object.__setattr__(self, name, value)

    @property
    def vacuous(self) -> bool:
        """Whether the value is useless: not below the error of guessing, or not below 1 if that
        error is not known.

        >>> Certificate("Some new objects are misclassified.", value=1.7, kind="Theorem 5").vacuous
        True
        """
        return self.value >= (1.0 if self.guessing is None else self.guessing)

    @classmethod
    def proved_by(
        cls,
        bound: str,
        claim: str,
        *,
        delta: float,
        evidence: Evidence,
        kind: str | None = None,
        assumptions: Iterable[str] = (),
        guessing: float | None = None,
        void: Iterable[str] = (),
    ) -> Self:
        """The certificate of a bound with confidence 1 - delta: value and statement are computed
        from the evidence.

        Parameters
        ----------
        bound, claim : str
            A name in ``BOUNDS``, also the default of ``kind``; the statement with "{value}" in
            place of the number.
        delta : float
            The probability with which the statement may fail, between 0 and 1.
        evidence : mapping from str to number
            The numbers that the bound needs, and any others. All further parameters are attributes
            of the certificate.

        Examples
        --------
        >>> counts = {"errors": 0, "held_out": 2}
        >>> made = Certificate.proved_by(
        ...     "holdout", "The error is at most {value}.", delta=0.25, evidence=counts
        ... )
        >>> made.statement, made.value, made.confidence
        ('The error is at most 0.5.', 0.5, 0.75)
        """
        check_delta(delta)
        value = _bounded(bound, evidence, delta)
        # a label in the sentence may contain the placeholder too
        before, _, after = claim.rpartition(VALUE)
        return cls(
            statement=f"{before}{value:.4g}{after}",
            value=value,
            kind=kind or bound,
            confidence=1.0 - delta,
            assumptions=tuple(assumptions),
            evidence=dict(evidence) | {"delta": delta},
            guessing=guessing,
            void=tuple(void),
            bound=bound,
            claim=claim,
        )

    def at(self, delta: float) -> Self:
        """The certificate for another delta: value, statement and confidence are computed again
        from the evidence.

        It is about the same classifier. A classifier that is chosen by its bound, like
        `wideberth.MarginNeighborsClassifier` with ``separation="compression"``, might be another
        one if it were fitted with this delta.

        Parameters
        ----------
        delta : float
            The probability with which the statement may fail, between 0 and 1.

        Raises
        ------
        wideberth.errors.InvalidInput
            If ``bound`` is None: the evidence alone does not determine the value.

        Examples
        --------
        >>> counts = {"errors": 0, "held_out": 2}
        >>> made = Certificate.proved_by(
        ...     "holdout", "The error is at most {value}.", delta=0.25, evidence=counts
        ... )
        >>> print(made.at(delta=0.01))
        The error is at most 0.9.
        value: 0.9 (holdout), with confidence 99%
        not vacuous: an error is never above 1
        """
        if self.bound is None or self.claim is None:
            raise InvalidInput(
                f"A certificate of the kind {self.kind!r} cannot be restated for "
                f"{setting('delta', delta)}: its evidence alone does not determine the value.",
                advice=f"Fit the model, or call {python('wideberth.certify')}, with that delta.",
                value=delta,
            )
        same = {
            name: getattr(self, name)
            for name in ("kind", "assumptions", "guessing", "void", "evidence")
        }
        return self.proved_by(self.bound, self.claim, delta=delta, **same)

    def card(self) -> Card:
        """The statement, the value with its confidence, the assumptions, and whether it is vacuous
        or why it is void.
        """
        if self.kind == "none" and not self.void:  # the statement says why; there is no value
            return Card(self.statement, tone="open")
        trivial = (
            "an error is never above 1"
            if self.guessing is None
            else f"guessing has {self.guessing:.4g}"
        )
        facts = [
            ("value", f"none ({self.kind})")
            if self.void
            else ("value", f"{self.value:.4g} ({self.kind}), {self._certainty()}"),
            *(("holds if", assumption) for assumption in self.assumptions),
            *(("void", reason) for reason in self.void),
        ]
        if not self.void:
            facts.append(("vacuous" if self.vacuous else "not vacuous", trivial))
        tone: Tone = "bad" if self.void else "open" if self.vacuous else "good"
        return Card(
            self.statement,
            tuple(facts),
            words=("holds if", "confidence", "guessing", "vacuous"),
            tone=tone,
        )

    def _certainty(self) -> str:
        """With which confidence it holds."""
        if self.confidence is None:
            return "certain"
        return f"with confidence {100 * self.confidence:.10g}%"

    def __str__(self) -> str:
        return as_text(self.card())

    def __repr__(self) -> str:
        value = "void" if self.void else f"value={self.value:.4g}"
        sure = "" if self.confidence is None else f", confidence={self.confidence:.10g}"
        return f"Certificate({self.statement!r}, {value}, kind={self.kind!r}{sure})"

    def to_plain(self) -> dict[str, Any]:
        """The certificate as a dict of numbers, texts, lists and dicts, as model files store it.

        >>> Certificate("It rains.", value=0.2, kind="forecast").to_plain()["value"]
        0.2
        """
        return asdict(self) | {"assumptions": list(self.assumptions), "void": list(self.void)}

    def to_json(self) -> str:
        """The certificate as one line of JSON, with ``vacuous`` added; infinite numbers are written
        as the text "inf" or "-inf".

        >>> Certificate("It rains.", value=0.2, kind="forecast").to_json()  # doctest: +ELLIPSIS
        '{"statement": "It rains.", "value": 0.2, ... "claim": null, "vacuous": false}'
        """
        plain = self.to_plain() | {"vacuous": self.vacuous}
        numbers = {
            name: number if isfinite(number) else str(number)
            for name, number in self.evidence.items()
        }
        infinite = {
            name: str(plain[name]) for name in ("value", "guessing") if plain[name] in (inf, -inf)
        }
        return json.dumps(plain | {"evidence": numbers} | infinite, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The certificate that `to_json` wrote; `wideberth.errors.InvalidInput` if the text is not
        one.

        >>> certificate = Certificate("It rains.", value=0.2, kind="forecast")
        >>> Certificate.from_json(certificate.to_json()) == certificate
        True
        """
        try:
            plain = json.loads(text)
        except ValueError as reason:
            raise _refusal("text", text, f"JSON ({reason})") from None
        if not isinstance(plain, dict):
            raise _refusal("text", text, "a JSON object")
        plain.pop("vacuous", None)  # it follows from the rest
        evidence = plain.get("evidence")
        if isinstance(evidence, dict):
            plain["evidence"] = {name: _infinite(number) for name, number in evidence.items()}
        return cls.from_plain(
            plain
            | {name: _infinite(plain[name]) for name in ("value", "guessing") if name in plain}
        )

    @classmethod
    def from_plain(cls, plain: Any) -> Self:
        """The certificate that `to_plain` wrote; `wideberth.errors.InvalidInput` if the values do
        not make one.

        >>> certificate = Certificate("It rains.", value=0.2, kind="forecast")
        >>> Certificate.from_plain(certificate.to_plain()) == certificate
        True
        """
        if not isinstance(plain, dict) or set(plain) != set(CHECKS):
            raise _refusal(
                "fields",
                sorted(map(str, plain)) if isinstance(plain, dict) else plain,
                f"exactly {', '.join(CHECKS)}",
            )
        for name, (holds, needed) in CHECKS.items():
            if not holds(plain[name]):
                raise _refusal(name, plain[name], needed)
        if plain["bound"] is not None and plain["value"] > 1:
            raise _refusal("value", plain["value"], "a probability, as the values of bounds are")
        return cls(**plain)


class Certificates(ShownList[Certificate]):
    """Certificates, which are shown as one table.

    Examples
    --------
    >>> print(Certificates([Certificate("It rains.", value=0.2, kind="forecast")]))
    1 certificate
      #  statement  value  holds    guessing  kind
      1  It rains.    0.2  certain         -  forecast
    """

    def card(self) -> Card:
        """A row for each of them, then what has to be true, and why some are void."""
        void = sum(bool(each.void) for each in self)
        useless = sum(each.vacuous and not each.void for each in self)
        told = [
            f"{len(self):,} certificate{'s' * (len(self) != 1)}",
            *([f"{void:,} void"] if void else []),
            *([f"{useless:,} vacuous"] if useless else []),
        ]
        table = Table.of(
            ["#", "statement", "value", "holds", "guessing", "kind"],
            list(enumerate(self, start=1)),
            lambda each: _row(*each),
            most=30,
        )
        tone: Tone = "good" if void + useless < len(self) else "bad" if void else "open"
        return Card(
            ", ".join(told),
            tables=(table,) if self else (),
            notes=(
                *self._notes("holds if", "assumptions"),
                *self._notes("void", "void"),
                *self.together(),
            ),
            words=("certificate", "holds if", "confidence", "guessing", "vacuous") if self else (),
            tone=tone,
        )

    def together(self) -> tuple[str, ...]:
        """A sentence on the confidence with which all of them hold at once, by the union bound;
        none if fewer than two can fail.

        Examples
        --------
        >>> rain = Certificate("It rains.", value=0.2, kind="forecast", confidence=0.95)
        >>> Certificates([rain, rain]).together()
        ('Each holds alone with its confidence; all 2 together with confidence 90%.',)
        """
        doubts = [
            1.0 - each.confidence for each in self if not each.void and each.confidence is not None
        ]
        if len(doubts) < 2:
            return ()
        joint = max(0.0, 1.0 - sum(doubts))
        return (
            f"Each holds alone with its confidence; all {len(doubts)} together with confidence "
            f"{100 * joint:.10g}%.",
        )

    def _notes(self, name: str, attribute: str) -> list[str]:
        """The assumptions or the reasons, each once, with the numbers of those that it is about."""
        about: dict[str, list[int]] = {}
        for place, each in enumerate(self, start=1):
            for text in getattr(each, attribute):
                about.setdefault(text, []).append(place)
        alike = sum(bool(getattr(each, attribute)) for each in self)
        return [
            f"{name}: {text}"
            if len(places) == alike and (name == "holds if" or len(self) == 1)
            else f"{name} ({', '.join(map(str, places))}): {text}"
            for text, places in about.items()
        ]


def _row(place: int, one: Certificate) -> list[str | Cell]:
    """The row of a certificate in a table."""
    tone: Tone = "bad" if one.void else "open" if one.vacuous else "good"
    sure = "certain" if one.confidence is None else f"{100 * one.confidence:.10g}%"
    return [
        str(place),
        one.statement,
        Cell("void" if one.void else f"{one.value:.4g}", tone),
        "-" if one.void else sure,
        number(one.guessing),
        one.kind,
    ]


def _bounded(bound: str, evidence: Evidence, delta: float) -> float:
    """The value of a bound, a probability, so at most 1; `InvalidInput` for an unknown bound, or
    one that lacks a number.
    """
    try:
        return min(1.0, BOUNDS[bound](evidence, log(delta)))
    except KeyError as missing:
        raise InvalidInput(
            f"The bound {bound!r} cannot be computed: there is no {missing}.",
            advice=f"Bounds are {', '.join(map(repr, BOUNDS))}; the evidence {sorted(evidence)} "
            "must contain all that it needs.",
            value=bound,
        ) from None


def check_delta(delta: Any) -> None:
    """Raise `wideberth.errors.InvalidInput` if ``delta`` is not a number between 0 and 1, both
    excluded.

    >>> check_delta(0.05)
    """
    if not _is_number(delta) or not 0 < delta < 1:
        raise InvalidInput(
            f"{setting('delta', delta)} is not a probability between 0 and 1.",
            advice="Pass 0.05, for example.",
            value=delta,
        )


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_text_or_none(value: Any) -> bool:
    return value is None or _is_text(value)


def _is_bound_or_none(value: Any) -> bool:
    return value is None or (_is_text(value) and value in BOUNDS)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and not isnan(value)


def _is_number_or_none(value: Any) -> bool:
    return value is None or _is_number(value)


def _is_chance_or_none(value: Any) -> bool:
    return value is None or (_is_number(value) and 0 <= value <= 1)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(map(_is_text, value))


def _are_numbers(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and all(map(_is_text, value))
        and all(map(_is_number, value.values()))
    )


#: For each field of a stored certificate: a test of its value, and a description for error
#: messages.
CHECKS = {
    "statement": (_is_text, "a text"),
    "value": (_is_number, "a number"),
    "kind": (_is_text, "a text"),
    "confidence": (_is_chance_or_none, "a number from 0 to 1, or None"),
    "assumptions": (_are_texts, "a list of texts"),
    "evidence": (_are_numbers, "a dict from texts to numbers"),
    "guessing": (_is_number_or_none, "a number, or None"),
    "void": (_are_texts, "a list of texts"),
    "bound": (_is_bound_or_none, f"one of {', '.join(map(repr, BOUNDS))}, or None"),
    "claim": (_is_text_or_none, "a text, or None"),
}


def _infinite(written: Any) -> Any:
    """The infinite number that was written as text; anything else unchanged."""
    return {"inf": inf, "-inf": -inf}.get(written, written) if isinstance(written, str) else written


def _refusal(name: str, value: Any, needed: str) -> InvalidInput:
    """The error for a field of a stored certificate whose value is not what is ``needed``."""
    shown = repr(value)
    return InvalidInput(
        f"These values are not a certificate: its {name} is "
        f"{shown if len(shown) <= 80 else shown[:77] + '...'}.",
        advice=f"Expected: {needed}. Certificate.to_plain() writes such values.",
        value=value,
    )
