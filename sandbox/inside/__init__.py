"""What is mounted into every sandbox: the fork server, which is process 1 there, and what its children do.

These modules import the standard library, each other and `schemas.values` only; the host never runs them.
"""
