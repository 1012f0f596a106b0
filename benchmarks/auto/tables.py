"""Tables."""
def page_of_errors(facts): return ""
