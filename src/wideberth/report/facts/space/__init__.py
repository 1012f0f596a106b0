"""The map of a report: objects in the plane, by their distances."""
