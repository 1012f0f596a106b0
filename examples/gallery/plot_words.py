"""
Words of six languages
======================

Whose language is a word? No dictionary, no vectors: the n-grams of some 1,700 frequent words.

*Data:* the most frequent words of the package wordfreq (Speer 2022); its code is under the Apache
licence 2.0, its data under CC BY-SA 4.0.
"""

from wordfreq import top_n_list

import wideberth as wb
from wideberth.report import Report

LANGUAGES = ("de", "en", "es", "fi", "fr", "it")


def words_of(language):
    """300 frequent words of at least five letters."""
    return [word for word in top_n_list(language, 3000) if word.isalpha() and len(word) >= 5][:300]


found = {language: words_of(language) for language in LANGUAGES}
elsewhere = {
    language: {word for other in LANGUAGES if other != language for word in found[other]}
    for language in LANGUAGES
}
words = [
    word for language in LANGUAGES for word in found[language] if word not in elsewhere[language]
]
labels = [
    language
    for language in LANGUAGES
    for word in found[language]
    if word not in elsewhere[language]
]
known, known_labels, new, new_labels = words[0::2], labels[0::2], words[1::2], labels[1::2]
print(f"{len(words)} words that belong to one of the lists only, such as {', '.join(words[::250])}")

# %%
# Two metrics, the same classifier: the metric matters more than the model.
for metric in ("levenshtein", "ngrams"):
    model = wb.HilbertSVC(metric, repair="clip").fit(known, known_labels)
    print(f"{metric}: {(model.predict(new) != new_labels).mean():.1%} wrong")

# %%
# The words on a map, those that get another language circled:
wb.plots.MetricMapDisplay.from_estimator(model, new[::3], new_labels[::3])

# %%
# The report on the objects that it did not learn from; ``wb.write_report`` writes it into a file:
Report(model, new[::3], new_labels[::3])
