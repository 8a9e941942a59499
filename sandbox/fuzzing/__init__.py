"""Draws inputs for a task from its signature, constraints, examples and reference source."""
