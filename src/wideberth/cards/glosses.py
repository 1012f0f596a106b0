"""What our words mean: the one place that explains them."""

#: A sentence for each word that the field does not have, or uses otherwise.
GLOSSES = {
    "lead": "By how much the score of the label exceeds that of the next one.",
    "margin": "How far scores stay clear of a change of label: half the distance at which the "
    "classes are kept apart.",
    "radius": "Proved: no object strictly closer than this gets another label.",
    "proved safe": "A change that half of the answers are proved to survive, whichever it is: whole "
    "edits where these are counted, else a distance.",
    "kept": "Training objects that the model holds, to measure new ones against.",
    "certificate": "A proved bound, the assumptions under which it holds, and what it was computed "
    "from.",
    "confidence": "How probable it is that the data were not so odd that the bound fails.",
    "if": "What has to be true of the data; nobody can check it for you.",
    "guessing": "The error of always answering the largest class.",
    "p-value": "How usual an object is among those of calibration: the share of them that are at "
    "least as strange.",
    "push": "What one training object or feature adds to the score, for (+) or against (-) the "
    "label.",
    "quality": "How probable it is that the given label is right, by models that have not seen the object.",
}
