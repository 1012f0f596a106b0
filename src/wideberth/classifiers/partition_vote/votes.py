r"""Votes of classifiers that learned from disjoint parts of the training rows, and what they
withstand.

**Which part a row is in** depends on a digest of its object alone: not on its label, its place, or
any other row. What a part's classifier is depends on the rows of that part alone. So a flipped label,
an added row and a removed row each change one part; an altered object leaves one part and enters
another, which is two. Equal objects are in one part. Whoever alters objects can choose their
digests, and so the parts that they enter; the count holds for any choice: r changes reach at most r
parts, whichever they are. Two different objects with one digest, found or made, are in one part, and
nothing else follows from it.

**The vote.** A part votes for the label that its classifier gives; with rows of one class for that;
without rows not at all. The class with most votes wins, of equal ones the first. Let :math:`V_c` be the
votes of the class c, y the winner, and *[c first]* 1 if c precedes y, else 0: y wins as long as
:math:`V_y \ge V_c + [c \text{ first}]` for every other c. A part that changes takes at most one vote
from y and gives at most one to c, so after r changes y still wins if

.. math:: V_y - r \ge V_c + r + [c \text{ first}] \quad\text{for every } c \neq y.

A label that no row has yet is one more c, without votes, which comes first. (Levine & Feizi 2021,
"Deep partition aggregation".)

**Rows and a moved object at once.** Let a part *stay* within a radius R if its own certified radius
is at least R: no object strictly closer than R gets another label from it. Let :math:`S_y` be the
parts that vote for y and stay, and :math:`U_c` those that vote for c, and those that do not stay and
know the class c, for which they might then vote. After r changed rows, and any move of the object by
less than R, y has at least :math:`S_y - r` votes and c at most :math:`U_c + r`, so y wins if

.. math:: S_y - r \ge U_c + r + [c \text{ first}] \quad\text{for every } c \neq y.

A larger R only makes the left side smaller and the right side larger, so there is a largest R of
those at which a part ceases to stay, which is the radius.
"""

from dataclasses import dataclass

import numpy as np

from wideberth.array_types import Flags, Floats, Indices

#: The vote of a part that does not vote.
NOBODY = -1


@dataclass(frozen=True, eq=False)
class PartVotes:
    """The votes of m parts on n objects.

    Examples
    --------
    >>> votes = PartVotes(np.array([[0, 0, 0, 0, 1], [1, 1, 0, NOBODY, NOBODY]]), 2)
    >>> votes.counts, votes.winners, votes.changes_withstood()
    (array([[4, 1],
           [1, 2]]), array([0, 1]), array([1, 0]))
    """

    #: For each object the code of the class that each part votes for, or `NOBODY`; shape (n, m).
    codes: Indices
    #: How many classes there are.
    n_classes: int

    @property
    def counts(self) -> Indices:
        """The votes for each class, shape (n, n_classes)."""
        return _counted(self.codes[:, None, :] == np.arange(self.n_classes)[None, :, None])

    @property
    def winners(self) -> Indices:
        """The class that wins, shape (n,)."""
        return np.asarray(self.counts.argmax(axis=1))

    def changes_withstood(self) -> Indices:
        """How many parts may change in any way, for each object, until another class can win."""
        counts, winners = self.counts, self.winners
        ahead = _of_winners(counts, winners)[:, None] - self._rivals(counts, winners)
        return np.asarray(ahead.min(axis=1) // 2)

    def radii(self, radii: Floats, knows: Flags, changed: int) -> Floats:
        """How far each object may move while so many parts change in any way, until another class can
        win; 0 if it may not.

        ``radii`` are those of the parts, shape (n, m), and ``knows`` tells which class each part
        knows, shape (m, n_classes).

        Examples
        --------
        >>> votes = PartVotes(np.array([[0, 0, 0, 0, 1]]), 2)
        >>> far, knows = np.array([[4.0, 3.0, 2.0, 1.0, 9.0]]), np.ones((5, 2), dtype=bool)
        >>> votes.radii(far, knows, 0), votes.radii(far, knows, 1), votes.radii(far, knows, 2)
        (array([2.]), array([1.]), array([0.]))
        """
        winners, found = self.winners, np.zeros(len(self.codes))
        own = self.codes == winners[:, None]
        # a part that does not vote does not vote for moved objects either
        far = np.where(self.codes == NOBODY, np.inf, radii)
        is_open = np.ones(len(found), dtype=bool)
        for radius in np.sort(far, axis=1).T[::-1]:  # of each object, the largest first
            stays = far >= radius[:, None]
            for_winner = (own & stays).sum(axis=1) - changed
            against = np.stack(
                [
                    ((self.codes == code) | (~stays & knows[:, code])).sum(axis=1) + changed
                    for code in range(self.n_classes)
                ],
                axis=1,
            )
            wins = (for_winner[:, None] >= self._rivals(against, winners, changed)).all(axis=1)
            found[is_open & wins] = radius[is_open & wins]
            is_open &= ~wins
            if not is_open.any():
                break
        return found

    def _rivals(self, counts: Indices, winners: Indices, new: int = 0) -> Indices:
        """What the winner needs to stay ahead of every other class, and of a label that nobody has
        yet, with ``new`` votes: their votes, and one more for those that come first. Shape (n,
        n_classes + 1).
        """
        needed = counts + (np.arange(self.n_classes) < winners[:, None])
        needed[np.arange(len(winners)), winners] = new  # no rival of itself
        return np.column_stack([needed, np.full(len(winners), new + 1)])


def _counted(chosen: Flags) -> Indices:
    return np.asarray(chosen.sum(axis=-1))


def _of_winners(counts: Indices, winners: Indices) -> Indices:
    return counts[np.arange(len(winners)), winners]
