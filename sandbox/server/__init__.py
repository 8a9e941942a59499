"""The service `taskfoundry serve`: verdicts, rewards and plain runs over HTTP, from a pool of warm sandboxes."""
