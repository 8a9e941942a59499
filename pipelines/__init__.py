"""The graph, the command line, runner set-up and reports."""
