"""A report that one wants to look at: facts about a model and objects, in one HTML file that needs
nothing else.
"""

from wideberth.report.report import Report, write_report

__all__ = ["Report", "write_report"]
