"""Collections that never sit on one machine: answers, certificates and fits by partitions."""
