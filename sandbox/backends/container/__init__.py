"""The container level: Docker and Podman through one API. `sandbox.backends.container.backend` is the door."""
