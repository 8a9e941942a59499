"""The operators of this project, grouped by theme; `mutators/registry.py` enters them. Method: own."""
