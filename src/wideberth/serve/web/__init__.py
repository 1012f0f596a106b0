"""The web server: paths, who may ask, the log, the descriptions of the interface, and the page."""
