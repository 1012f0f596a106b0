"""How large reports are, and how long they take."""
