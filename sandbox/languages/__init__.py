"""What differs between programming languages."""
