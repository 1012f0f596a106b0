"""The time of every metric beside libraries, whether they agree, and what more cores bring."""
