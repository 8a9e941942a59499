"""Every record of the road, the config, the errors, ids and seeds; imports nothing else of the project."""
