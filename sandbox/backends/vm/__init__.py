"""Virtual machines under QEMU: guest images, machines that go on from a saved state, and the two backends."""
