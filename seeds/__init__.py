"""Where material comes from: problem banks, repositories, topics, curated tasks, benchmarks."""
