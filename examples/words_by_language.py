"""Words of three invented languages arrive one by one; whose language is each, before it is told?

A learner of vectors runs on objects of any kind once these have coordinates: here the edit
distances of a word to twelve words that are far apart, a reference net. The bound of the total loss
would hold if each language had a centre and every word were nearest, in these coordinates, to the
centre of its own. Languages are not like that, words of two of them mix, so the learner is told to
expect wrong labels, and proves nothing; it learns all the same, from every word once.
"""

import random

import numpy as np

import wideberth as wb

LANGUAGES = {  # how syllables begin, their vowels, how they end, how words end; - is nothing
    "southern": ("b c d f g l m n p r s t v gl sp", "a e i o", "- - - n r l", "a o e i"),
    "northern": ("b d f g h k r s w st schl kn", "a e i o u ei au", "n r s t cht rt nd", "- en er"),
    "eastern": ("h k l m n p r s t v j", "a e i o u y aa ii uu", "- - n s l", "a i e nen ssa"),
}


def word(language: str, chance: random.Random) -> str:
    """A word of one to three syllables."""
    *syllable, ending = (part.split() for part in LANGUAGES[language])
    chosen = [chance.choice(part) for _ in range(chance.randint(1, 3)) for part in syllable]
    return "".join([*chosen, chance.choice(ending)]).replace("-", "")


def stream(rounds: int, chance: random.Random) -> list[tuple[str, str]]:
    """Words and their languages."""
    languages = chance.choices(list(LANGUAGES), k=rounds)
    return [(word(language, chance), language) for language in languages]


def main(rounds: int = 600, references: int = 12) -> float:
    """Guess, be told, learn; the share of right guesses in the last third."""
    chance = random.Random(1)
    seen_before = [
        text for text, _ in stream(300, chance)
    ]  # no labels: only to spread the references
    coordinates = wb.KuratowskiEmbedding("normalized_levenshtein", references=references).fit(
        seen_before
    )
    net = [seen_before[place] for place in coordinates.references_]
    print(f"Coordinates: distances to {', '.join(net[:6])} and {len(net) - 6} other words.\n")

    learner = wb.OnlinePartitionClassifier("euclidean", radius=4.0, noise=0.1, random_state=0)
    right, part = [], rounds // 4
    for number, (text, language) in enumerate(stream(rounds, chance), start=1):
        query = coordinates.transform([text])[0]
        right.append(learner.predict_one(query) == language)
        learner.learn_one(query, language)
        if number % part == 0:
            print(
                f"{number:>5,} words: {np.mean(right[-part:]):.0%} of the last {part} guessed; the "
                f"last was {text!r}, {language}"
            )

    print(
        f"\nRemaining loss: at most {learner.remaining_loss_bound()}, that is, not bounded. A "
        "bound needs labels that are a"
    )
    print("nearest-centre partition of the coordinates, and never wrong.")
    return float(np.mean(right[-part:]))


if __name__ == "__main__":
    main()
