"""Isolation levels behind one protocol."""
