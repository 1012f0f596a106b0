"""For which features the changes that single edits make are listed, so that a robust hinge can be learned."""

from typing import Any

from wideberth.classifiers.linear.features.counted_texts import texts_of
from wideberth.classifiers.linear.features.edit_changes import EditChanges
from wideberth.classifiers.linear.features.features import CountedBlock, CountedFeatures
from wideberth.classifiers.linear.features.gram_changes import gram_changes
from wideberth.classifiers.linear.features.word_changes import word_changes
from wideberth.metrics.strings.words_and_grams import NGrams, Words


def has_changes(blocks: list[CountedBlock]) -> bool:
    """Whether changes are listed for what a metric counts.

    Examples
    --------
    >>> from wideberth.classifiers.linear.features.features import counted_blocks
    >>> from wideberth.metrics.named import metric
    >>> has_changes(counted_blocks(metric("words"))), has_changes(counted_blocks(metric("manhattan")))
    (True, False)
    """
    return len(blocks) == 1 and isinstance(blocks[0].metric, Words | NGrams)


def known_changes(features: CountedFeatures, objects: Any) -> EditChanges | None:
    """The changes of prepared objects by single edits; None where they are not listed."""
    if not has_changes(features.blocks) or features.vocabularies is None:
        return None
    (block,), (vocabulary,), texts = features.blocks, features.vocabularies, texts_of(objects).tolist()
    if isinstance(block.metric, NGrams):
        return gram_changes(texts, vocabulary, block.factor, block.metric)
    return word_changes(texts, vocabulary, block.factor)
