"""What runs inside a virtual machine: the agent that opens process sandboxes there for the host."""
