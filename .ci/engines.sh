#!/usr/bin/env bash
# Installs the engines of the stronger isolation levels from Debian's packages. Needs root; starts nothing; may run again.
set -euo pipefail

packages=(docker.io podman runc runsc)
# Virtual machines: the emulator, and what a guest's image is built with (its kernel is fetched without installing it).
packages+=(qemu-system-x86 busybox-static e2fsprogs)

missing=()
for package in "${packages[@]}"; do
  if ! dpkg-query --show --showformat='${Status}' "$package" 2>/dev/null | grep --quiet 'ok installed'; then
    missing+=("$package")
  fi
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "installed before: ${packages[*]}"
  exit 0
fi

# Debian asks this file whether a package may start its service while it is installed: no.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod 755 "$policy"
  trap 'rm -f "$policy"' EXIT
fi

export DEBIAN_FRONTEND=noninteractive
apt-get update --quiet --quiet
apt-get install --yes --quiet --quiet --no-install-recommends -o DPkg::Lock::Timeout=600 "${missing[@]}"
echo "installed: ${missing[*]}"
