"""Beam transforms, one a file, over the pure functions of the other folders."""
