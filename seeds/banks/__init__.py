"""Problem banks, one format a module."""
