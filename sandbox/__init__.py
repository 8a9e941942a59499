"""Runs untrusted code under limits and judges it from outside."""
