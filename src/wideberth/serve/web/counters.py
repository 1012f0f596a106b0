"""Counts of a server, in the text format of Prometheus."""

from bisect import bisect_left
from collections import Counter

import wideberth

#: The media type of the text.
METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"
#: The upper ends of the intervals in which times are counted, in seconds.
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Counters:
    """What a server has done so far.

    Examples
    --------
    >>> counters = Counters()
    >>> counters.count_request("/predict", 200, seconds=0.004, objects=3)
    >>> [line for line in counters.text().splitlines() if line.startswith("wideberth_objects")]
    ['wideberth_objects_total 3']
    """

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, int]] = Counter()
        self._in_buckets = [0] * (len(BUCKETS) + 1)
        self._seconds = 0.0
        self._objects = 0
        self._replaced: Counter[str] = Counter({"time": 0, "died": 0})
        self.in_flight = 0

    def count_request(self, route: str, status: int, seconds: float, objects: int) -> None:
        """Count a request that was answered.

        Parameters
        ----------
        route : str
            Its path, or "other".
        status : int
            The HTTP status of the answer.
        seconds : float
            How long it took.
        objects : int
            How many objects were answered.
        """
        self._requests[route, status] += 1
        self._objects += objects
        if route == "/predict":
            self._in_buckets[bisect_left(BUCKETS, seconds)] += 1
            self._seconds += seconds

    def count_replaced(self, reason: str) -> None:
        """Count a worker that was replaced."""
        self._replaced[reason] += 1

    def text(self, **gauges: float) -> str:
        """All counts as text; ``gauges`` are further numbers of the moment.

        Examples
        --------
        >>> "wideberth_workers_ready 2" in Counters().text(workers_ready=2)
        True
        """
        lines = [
            "# TYPE wideberth_build_info gauge",
            f'wideberth_build_info{{version="{wideberth.__version__}"}} 1',
        ]
        lines += [
            "# HELP wideberth_requests_total Requests that were answered.",
            "# TYPE wideberth_requests_total counter",
        ]
        lines += [
            f'wideberth_requests_total{{route="{route}",status="{status}"}} {count}'
            for (route, status), count in sorted(self._requests.items())
        ]
        lines += [
            "# HELP wideberth_objects_total Objects that were answered.",
            "# TYPE wideberth_objects_total counter",
        ]
        lines += [f"wideberth_objects_total {self._objects}", *self._histogram()]
        lines += ["# HELP wideberth_workers_replaced_total Workers that were killed or died.",
                  "# TYPE wideberth_workers_replaced_total counter"]  # fmt: skip
        lines += [
            f'wideberth_workers_replaced_total{{reason="{why}"}} {n}'
            for why, n in sorted(self._replaced.items())
        ]
        for name, value in ({"requests_in_flight": self.in_flight} | gauges).items():
            lines += [f"# TYPE wideberth_{name} gauge", f"wideberth_{name} {value:g}"]
        return "\n".join(lines) + "\n"

    def _histogram(self) -> list[str]:
        name, total = "wideberth_predict_seconds", 0
        lines = [
            f"# HELP {name} Time from the request for a prediction to its answer.",
            f"# TYPE {name} histogram",
        ]
        for end, count in zip(
            (*(f"{bucket:g}" for bucket in BUCKETS), "+Inf"), self._in_buckets, strict=True
        ):
            total += count
            lines.append(f'{name}_bucket{{le="{end}"}} {total}')
        return [*lines, f"{name}_sum {self._seconds:.6f}", f"{name}_count {total}"]
