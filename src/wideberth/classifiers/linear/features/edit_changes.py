"""What single edits do to the counts of texts: lists of changes, one for each different place of a text.

The worst of a few edits is found among them while a classifier learns. They leave out what hardly matters there, such as two
edits of the same word; what is certified does not depend on them.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import coo_array, csr_array

from wideberth.array_types import Flags, Floats, Integers


@dataclass(frozen=True, eq=False)
class EditChanges:
    """The changes of counts that one edit can make, at each place of each text.

    A *site* is a place as far as its changes depend on it, such as a word: it occurs in many texts.

    Attributes
    ----------
    deltas : csr_array of shape (changes, features)
        What each change adds to the counts.
    starts : ndarray of int64, shape (sites + 1,)
        Where the changes of each site begin.
    sites : ndarray of int64
        The sites of each text, one text after the other.
    text_starts : ndarray of int64, shape (n + 1,)
        Where the sites of each text begin.
    """

    deltas: csr_array
    starts: Integers
    sites: Integers
    text_starts: Integers

    def only(self, chosen: Flags) -> "EditChanges":
        """The chosen ones of the changes, at the same sites.

        Examples
        --------
        >>> two = EditChanges(csr_array(np.eye(2)), np.array([0, 2]), np.array([0]), np.array([0, 1]))
        >>> two.only(np.array([False, True])).deltas.toarray(), two.only(np.array([False, True])).starts
        (array([[0., 1.]]), array([0, 1]))
        """
        before = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(chosen)])
        return replace(self, deltas=csr_array(self.deltas[np.flatnonzero(chosen)]), starts=before[self.starts])

    @classmethod
    def none(cls, n_texts: int, n_features: int) -> "EditChanges":
        """No changes at all: texts, or vectors, that nobody edits.

        Examples
        --------
        >>> EditChanges.none(2, 3).deltas.shape
        (0, 3)
        """
        nothing = np.empty(0, dtype=np.int64)
        empty = csr_array((0, n_features), dtype=np.float64)
        return cls(empty, np.zeros(1, dtype=np.int64), nothing, np.zeros(n_texts + 1, dtype=np.int64))


@dataclass(frozen=True, eq=False)
class ChangeEntries:
    """Entries of changes in any order: what change ``changes[e]`` of site ``sites[e]`` adds to a feature.

    Attributes
    ----------
    sites : ndarray of int64
        The site of each change.
    owners, columns : ndarray of int64
        The change and the feature of each entry.
    values : ndarray of float64
        What is added to the count.
    """

    sites: Integers
    owners: Integers
    columns: Integers
    values: Floats

    def collected(self, occurrences: Integers, text_starts: Integers, n_sites: int, n_features: int) -> EditChanges:
        """The changes by their sites, without those that change nothing and sites that have none."""
        n_changes = len(self.sites)
        entries = coo_array((self.values, (self.owners, self.columns)), shape=(n_changes, n_features))
        deltas = csr_array(entries)
        deltas.eliminate_zeros()
        kept = np.flatnonzero(np.diff(deltas.indptr))
        kept = kept[np.argsort(self.sites[kept], kind="stable")]
        sizes = np.bincount(self.sites[kept], minlength=n_sites)
        starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
        changing = sizes[occurrences] > 0
        ends = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(changing)])[text_starts]
        return EditChanges(csr_array(deltas[kept]), starts, occurrences[changing], ends)
