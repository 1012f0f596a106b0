"""What explains the rows in which a peer is ahead, and what was tried; written by hand, keyed by
patterns of rows.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Paragraph:
    """An explanation, and the rows that it is about: patterns of "key | peer"."""

    title: str
    rows: tuple[str, ...]
    text: str


PARAGRAPHS: list[Paragraph] = [
    Paragraph(
        "Trees on ordinary tables",
        ("tables: * | HistGB", "tables: * | random forest"),
        """\
Baseball asks for one of 24 teams by the records of a season; a distance weighs all columns alike, and a tree takes the few that
tell the teams apart. `forest`, a metric that such trees make, was made on other data since, and is even with a random forest on
two more of [these tables](tables.md) on which that was ahead. Tried here: nothing, on purpose. These tables judge what is
there: whatever is chosen by their errors would have to be judged by others.""",
    ),
    Paragraph(
        "A table of counts whose rows come in pairs",
        ("fresh tables: MASS/minn38.csv*",),
        """\
Each row of minn38 counts the school leavers of one sex with the same rank, occupation and plans; the same row of the other sex
stands beside it, with another count. So the nearest row has the wrong label, and whoever trusts it errs on more than half, as
neighbours, both boosted trees and the choice do; there is nothing else to learn. Tried: nothing, as these tables are to judge
what is there.""",
    ),
    Paragraph(
        "Nearest neighbours on a file of graphs",
        (
            "auto: file * | fit --model neighbors",
            "auto: enzymes* | kNN",
        ),
        """\
On this half of enzymes the Lipschitz margin is chosen, which errs less on the objects that folds leave out, and more on the
other half; over the ten halves of [the first table](auto.md) it is within noise of nearest neighbours. Tried: to ask for two
standard errors before leaving nearest neighbours, on other halves of ten sets. It gained half a point on enzymes and lost more
than that on six others, so it was left ([decision 33](../decisions/0033-the-automatic-choice.md)).""",
    ),
    Paragraph(
        "TF-IDF and a vote on reviews that nobody edits",
        ("certified: *, edits of words, after 0 edits | *deleted, TF-IDF*",),
        """\
Ours is chosen for certificates: among the prices within a point of the best accuracy, the one with the most answers that survive
an edit. The peer is chosen by errors, and its norms take out the length of a text, which sums cannot. After any one edit it is
12 points behind and more ([the table](certified.md)). Tried: nothing more; that point is the price.""",
    ),
    Paragraph(
        "TF-IDF and logistic regression on strings",
        (
            "certified: errors on * | TF-IDF*",
            "auto: * | TF-IDF + LR",
        ),
        """\
The peer weighs n-grams of up to five letters by how rare they are and learns a coefficient for each. An SVM on one distance of
whole strings cannot: edits treat all letters alike, and the Ruzicka distance of n-grams all n-grams. Linear scores here have
n-grams up to three letters, because longer ones have no exact paths for certificates. Tried: cheaper rare features, longer
n-grams, and those that occur once ([decision 24](../decisions/0024-linear-scores-of-counts.md) has the figures); and
`rare_ngrams`, a metric that weighs n-grams by rarity. With it `AutoClassifier` is even with TF-IDF; these rows are of the
metrics without it.""",
    ),
    Paragraph(
        "Lipschitz margins beside SVMs",
        ("errors: *, LipschitzCV | *",),
        """\
The Lipschitz function is set by the nearest objects of each class; it has no kernel that adds up evidence from many objects,
and its errors are near those of nearest neighbours in [the table](errors.md), or above them where many objects are as near:
neighbours share their votes then, which gains ten points on words ([ties](ties.md)). It is there for its radii and its bound.
Tried: choosing C by folds, which is what the rows show; a smaller set of functions, which gives the LP machine and linear
scores in the same table.""",
    ),
    Paragraph(
        "LP machines beside SVMs",
        ("errors: *, LPMachineCV | *",),
        """\
The sum of absolute coefficients keeps few references, which [the table](errors.md) shows in brackets, and pays for it in errors
on these sets. Tried: four radial functions, one of which is chosen by folds; several widths in one machine hardly help, since
the widest wins ([decision 9](../decisions/0009-lp-machine.md)); joint programs for all classes, which were no more accurate.""",
    ),
    Paragraph(
        "The SVM on a metric beside the bare SVM",
        ("errors: *, HilbertSVCCV | *",),
        """\
The peer is the best of three, picked by the answers. What differs from the bare SVM with a gaussian kernel is the choice by
folds of the training half instead of a third of it, and the repair: negative eigenvalues are clipped, where the bare SVM learns
with an indefinite matrix. On graphs of enzymes nearest neighbours are ahead of all kernels. Tried: shift instead of clip
([choosing](choosing.md) has the errors of both).""",
    ),
    Paragraph(
        "Choosing the settings of an LP machine",
        ("choosing: *LPMachineClassifierCV | *",),
        """\
The peer solves 20 settings of an SVM in compiled code. Ours compares 32 settings by coordinate descent on a smoothed function
and then solves one linear program with a proved gap: on words that last fit is 1.2 to 1.4 s of four, most of it the normal
matrix of the barrier ([decision 9](../decisions/0009-lp-machine.md)). Tried: starting the barrier from the smoothed function
(157 steps a class became 6 to 9), fewer columns, a bound from smoothed multipliers alone, classes in parallel (left out: calls
that release the lock cost more CPU than the second core gained).""",
    ),
    Paragraph(
        "Starting: answers of a saved model",
        ("startup: * | *",),
        """\
A whole `wideberth predict` beside a Python that imports scikit-learn's base classes and stops. The command has to import these
too, for a model is an estimator of scikit-learn; what comes on top, by `python -X importtime` of one `predict` with a saved
SVM: wideberth's own modules 13 % of all time in imports, typer and pydantic 6 %, and then reading the model and the file and
answering. Tried: numba is loaded at the first compiled loop only, votes and radii of few neighbours are counted in Python, so
that these commands load no compiler ([decision 21](../decisions/0021-compiled-at-first-use.md)). Commands that only tell
something take a tenth to a third of the peer's time.""",
    ),
    Paragraph(
        "Probabilities beside isotonic and sigmoid calibration",
        ("probabilities: * | *",),
        """\
Ours is one temperature and an offset for each class: few numbers, a convex loss, and the label stays the most probable class.
An isotonic function for each class is free to bend, and ahead where scores are far from a softmax: votes of 15 neighbours and
Lipschitz functions, of messages above all. A sigmoid for each class has a slope of its own, which gains 1 to 5 % of the log
loss on some sets of several classes. Both may contradict the label, and lose more elsewhere: the mean over
[all rows](probabilities.md) is least with ours. Tried: vote shares, smoothed shares, a temperature alone ([decision
28](../decisions/0028-probabilities.md)).""",
    ),
    Paragraph(
        "Wrong labels of many classes",
        ("label_issues: * | cleanlab",),
        """\
Ours ranks labels by the probability that they are right, given the noise of each class; cleanlab by the probability of the label.
Where one class alone is confused, the noise of the classes differs, and ours is far ahead (digits: 96.8 beside 73.1 % average
precision by 15 neighbours). Where labels of 18 languages are replaced evenly, of which the SVM confuses many, ours takes what it
errs on firmly for noise: nearly all such labels get a probability near 0, and their order is lost. The precision that it expects
is then too high, too (99 % beside 23 to 58 %). Tried on other data: one noise for all classes, which ranks evenly replaced labels
better by 1.5 points, and those of one class worse by 17; weaker and stronger priors of the steepness, which change less.""",
    ),
    Paragraph(
        "Sets of labels beside probabilities",
        ("prediction_sets: * | *",),
        """\
Ours ranks a label by how far another one leads over it in scores, which every classifier has; crepes' *hinge* ranks it by its
probability, which only calibrated ones have. Of two labels both are the same order up to ties, and sets are as large; of six or
16 the lead looks at two labels only, and a probability at all of them. Tried, by hand on words and names with neighbours,
Lipschitz functions and SVM (words: ours 4.05, 3.92, 2.36 labels; names: 3.88, 4.78, 4.39): the label's own score (3.61, 3.67,
2.44; 4.45, 4.35, 4.43), and a softmax of scores divided by their standard deviation (3.78, 3.51, 2.39; 3.25, 3.87, 4.48). The
last one is ahead of the lead in four of six, and behind with SVM; no way was ahead in all.""",
    ),
    Paragraph(
        "Streams without centres",
        ("river_streams: * | *",),
        """\
The learner assumes that a label is the nearest of a few centres, one for each label, which is what its bound is about. The
labels of Bananas have no linear boundary at all, and RandomRBF has several centres for each label; nearest neighbours follow
any shape. Tried: cubic features on Bananas (59.2 % right become 85.5, beside 88.5 of nearest neighbours, in the last table of
[online](online.md)); soft cuts after the first contradiction are the default.""",
    ),
    Paragraph(
        "One distance at a time",
        ("distances: *, row | *",),
        """\
One object beside 200 costs microseconds of bookkeeping. Profile of `euclidean`, 10 numbers: 6.1 µs beside 2.9 of scipy's
`cdist`, which is inside of it; the rest is looking at the shapes and types of both sides (`checked_vectors`) and the call
itself. Where a pair costs more than some nanoseconds the ratio is that of blocks. Tried: prepared objects, which are recognised
and not converted again.""",
    ),
    Paragraph(
        "Distances in blocks",
        ("distances: *, block | *",),
        """\
Where ours calls the same library (scipy, rapidfuzz), what remains is checking both sides and rounding. `angular` is an angle,
with an arc cosine for each pair that the peer's cosine distance does not have, and makes it a metric.""",
    ),
    Paragraph(
        "Exact trees beside approximate graphs, and all beside brute force",
        ("index: * | *",),
        """\
Times are of all cores together, with building and with choosing the engine, which measures a sample of distances first: that is
what `auto` costs beside an engine that is asked for. Where no engine can save distances (many dimensions, words), comparing all
is what is chosen, after having looked. The times of pivots and kd-trees where they are not chosen are in
[the table](index.md).""",
    ),
    Paragraph(
        "Matching where scipy is lucky",
        ("matching: * | *",),
        """\
scipy's matching marks no vertices that led nowhere: its time depends on the number of paths, and the order of rows decides. Of
the two ways of giving it the graph, the better one counts in the row; in the other it does not end within 30 s on one of these
graphs. Ours tries each edge once in a phase, which is why it was written. Greedy matching beside one query of a kd-tree does
more: it is for all thresholds at once.""",
    ),
    Paragraph(
        "Fitting a Lipschitz classifier beside SVC",
        ("lipschitz: *, fit | SVC",),
        """\
At small C the linear program has many pairs, and the simplex method takes most of the time: 'LP s' on [the page](lipschitz.md).
SVC stops at a tolerance and proves nothing; ours ends with a proved gap. Tried: an interior-point method, optimal matching at a
fixed slope ([engines](engines.md)), three ways to find the final pairs earlier ([decision
5](../decisions/0005-engine-of-the-lipschitz-program.md)); nothing was faster on all sizes.""",
    ),
    Paragraph(
        "Answers of a Lipschitz classifier",
        ("lipschitz: *, answers | *",),
        """\
An answer is the least of distance plus weight over the objects of each class: more than one search where 1-NN needs one.
Profile of 20,000 answers among 20,000 points of two moons: about 70 % in the search of the tree (`least_sums_in_tree`) and 18 %
in taking the least of the other classes, half of it sorting; 0.044 s of CPU beside 0.020 of scikit-learn's tree. On words, two
thirds are rapidfuzz, the rest minima over blocks. Tried: pruning objects that never set a score, which dropped nothing on real
data and is gone.""",
    ),
    Paragraph(
        "Fitting an SVM on a metric to few objects",
        ("hilbert: *, learning | *",),
        """\
Profile of a fit to 1,000 points of two moons, 11.8 ms beside 9.4 for kernel and SVC: LIBSVM itself 2.3 ms, the kernel 2.2,
recognising training objects again (digests, by which `certify` refuses objects that were learned from) 3.6, the norm of the
function 0.9, objects at distance 0 0.6. From 3,000 objects on these are lost in the rest. Tried: digests on demand would make a
saved model unable to tell what it has seen.""",
    ),
    Paragraph(
        "Certified answers beside the nearest neighbour",
        ("certified: * | 1-NN, levenshtein",),
        """\
On single words and names, a linear score hangs on few n-grams, and one edit can change three of them; a name that is far from
all others keeps its nearest neighbour under several edits. So the nearest neighbour certifies some more names at two edits, at
fewer right answers. Tried: learning for an edit (`edits=1`), the row *within 10 points* of [the page](certified.md).""",
    ),
    Paragraph(
        "Distances beyond the number of pairs",
        (
            "calls: * | *",
            "index: *, distances | *",
        ),
        """\
Sixteen calls in both directions between four objects try a promise of symmetry; choosing an engine measures a sample of
distances, which are beyond those of comparing all where that is what is chosen.""",
    ),
    Paragraph(
        "Fits of neighbours, margins and Lipschitz functions beside models that compare no pairs",
        (
            "growth: *, neighbors, fit, *",
            "growth: *, margin, fit, *",
            "growth: *, lipschitz, fit, *",
        ),
        """\
Fitting chooses the number of neighbours by leaving one out, removes a cover of conflicts for every separation, or generates
pairs of objects for a linear program: all search the neighbours of all training objects. Profiles by cProfile, in shares of the
time by the clock, 3,162 vectors and 2,000 strings: what takes time is the search (waiting for its threads is 80 and 75 % of the
fit of neighbours, 43 and 32 % of margin neighbours; `nearest_points` of the kd-tree with its thread 80 % of the Lipschitz fit
to vectors), 0.35, 0.08 and 0.13 s of CPU beside 0.08 of SVC on vectors, 0.18, 0.12 and 0.18 beside 0.10 of TF-IDF and logistic
regression on strings, which has no pairs at all. Of margins on 31,623 strings, 81 % was renewing lists of enemies while pairs
are matched, 1,486 times, in 19,429 small searches. Since these rows were measured, neighbours leave out 5,000 objects at most,
chains of enemies do not start at a large class, and Lipschitz functions of strings are found through
signatures, those of vectors from fewer pairs.
Tried: kd-trees and pivots, which [the index](index.md) compares; on strings comparing all is
what pays for many neighbours, and signatures for few ([the filter](filter.md)).""",
    ),
    Paragraph(
        "Fits of LP machines beside SVC and sparse regression",
        ("growth: *, lp, fit, *",),
        """\
An LP machine solves a program for each class to a proved gap. Profile, 3,162 vectors in four classes, 1.6 s of CPU beside 0.08
of SVC: coordinate descent on the smoothed function 18 %, the normal matrix of the barrier 17 %, columns of radial functions 24
%; 2,000 strings, 0.6 s beside 0.1: normal matrix 22 %, columns 28 %. What was tried is in [decision
9](../decisions/0009-lp-machine.md). It answers faster than the peer: few references are left.""",
    ),
    Paragraph(
        "Fits of an SVM on a metric beside SVC and sparse regression",
        ("growth: *, svm, fit, *",),
        """\
On strings under Levenshtein the kernel is indefinite and gets repaired: 78 % of a fit to 2,000 strings is the
eigendecomposition (1.9 s of CPU beside 0.1 of the peer), which grows like the cube of n until landmarks take over. On 3,162
vectors, 0.17 s beside 0.08 of SVC: the kernel from distances 24 %, the distances 24 %, LIBSVM 15 %. Tried: to repair
the winner of `HilbertSVCCV` alone, whose folds then promised fewer errors than came; n-grams and other metrics with a valid
kernel need no repair ([decision 11](../decisions/0011-svm-on-a-metric.md)).""",
    ),
    Paragraph(
        "Fits of linear scores beside SVC and sparse regression",
        ("growth: *, linear, fit, *",),
        """\
Both minimise by L-BFGS over sparse counts. Profile of 2,000 strings, 0.13 s of CPU beside 0.10: sparse products 24 %, L-BFGS 14
%, digests of the texts 5 %; ours ends with a proved gap. Tried: cheaper rare features, which are solved in half of the time on
long texts ([decision 24](../decisions/0024-linear-scores-of-counts.md)).""",
    ),
    Paragraph(
        "Answers by distances beside answers by coefficients",
        ("growth: *, answer, *",),
        """\
A model by distances compares an object with the objects that it keeps; TF-IDF counts n-grams and multiplies, whatever n is.
Profile of 1,000 answers after 2,000 strings: 41 to 66 µs of CPU beside 25, most of it waiting for the threads that measure
distances. Linear scores take 3 µs. On vectors neighbours take 92 µs at n = 3,162, where all are compared: 53 neighbours are
what is chosen there, beside the five of the peer. Tried: a tree, which is built from where it is expected to pay.""",
    ),
    Paragraph(
        "Memory of fits",
        ("growth: *, peak, *",),
        """\
Models by distances hold blocks of distances while they fit, within `max_memory`; SVC holds a cache of kernel rows of 200 MB at
most, and TF-IDF sparse counts. A smaller `max_memory` takes less and measures more often. The page of [growth](growth.md) has
the powers of n.""",
    ),
]
