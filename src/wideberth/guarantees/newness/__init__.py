"""Whether labelled objects are new to a model."""
