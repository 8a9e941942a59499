"""The model layer: live, replay or off behind one protocol."""
