"""The hostile programs themselves: one source file per language, which reads from its input what to try."""
