"""What our words mean: the one place that explains them."""

from collections.abc import Iterable

#: A sentence for each word that the field does not have, or uses otherwise.
GLOSSES = {
    "lead": "By how much the score of the label exceeds that of the best other one.",
    "margin": "How far scores stay clear of a change of label: half the distance at which the "
    "classes are kept apart.",
    "radius": "Proved: no object strictly closer than this gets another label.",
    "safe edits": "Proved: so many edits, whichever they are, cannot change the label. An edit puts "
    "in, takes out or replaces one character.",
    "proved safe": "A change that half of the answers are proved to survive, whichever it is: whole "
    "edits where these are counted, else a distance.",
    "wrong": "The share of wrong answers on objects that were left out, ± its standard error.",
    "kept": "Training objects that the model holds, to measure new ones against.",
    "certificate": "A proved bound, the assumptions under which it holds, and what it was computed "
    "from.",
    "confidence": "How probable it is that the data were not so odd that the bound fails.",
    "holds if": "What has to be true of the data; nobody can check it for you.",
    "guessing": "The error of always answering the largest class.",
    "vacuous": "Proved, but no better than what holds anyway: guessing, or that no error is above 1.",
    "p-value": "How usual an object is: the share of those that it is compared with that are at "
    "least as strange.",
    "push": "What one training object or feature adds to the score, for (+) or against (-) the "
    "label.",
    "probability": "How probable it is that the answer is right, by answers to objects that were "
    "left out; rounded down.",
    "quality": "How probable it is that the given label is right, by models that have not seen "
    "the object.",
}


def glosses(words: Iterable[str]) -> list[tuple[str, str]]:
    """Words with what they mean, in the order given.

    >>> glosses(["kept"])
    [('kept', 'Training objects that the model holds, to measure new ones against.')]
    """
    return [(word, GLOSSES[word]) for word in words]
