"""The linear classifier on a collection: features, weights and gradients by partitions."""
