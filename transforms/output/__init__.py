"""Pure functions of the write stage: Parquet bytes, manifest, dataset card."""
