#!/usr/bin/env bash
# Installs what compiles and runs solutions and isn't there yet. Needs root for Debian's packages; may run again.
set -euo pipefail

missing=()
command -v g++ >/dev/null || missing+=(g++)
command -v rustc >/dev/null || missing+=(rustc)
command -v go >/dev/null || missing+=(golang-go)
command -v javac >/dev/null || missing+=(default-jdk-headless)
command -v node >/dev/null || missing+=(nodejs npm)
command -v strace >/dev/null || missing+=(strace)
if [ ${#missing[@]} -gt 0 ]; then
  export DEBIAN_FRONTEND=noninteractive
  apt-get update --quiet --quiet
  apt-get install --yes --quiet --quiet --no-install-recommends "${missing[@]}"
fi
command -v tsc >/dev/null || npm install --global --no-fund --no-audit --loglevel=error typescript
