"""The attack matrix: hostile programs in every language against every isolation level, and what must come of each.

Method: own; `python -m sandbox.attacks` runs it and writes the tables of docs/sandbox.md.
"""
