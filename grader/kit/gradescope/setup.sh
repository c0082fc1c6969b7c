#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the image of the autograder.
# wavegrade comes with the image, or with this kit (wavegrade kit gradescope --deb FILE or --source FILE).
set -euo pipefail
root=${AUTOGRADER_ROOT:-/autograder}
source=$root/source

if command -v wavegrade >/dev/null; then
  echo "wavegrade is here already: $(wavegrade --version)"
elif [ -e "$source/wavegrade.deb" ]; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$source/wavegrade.deb"
elif [ -e "$source/wavegrade-source.tar" ]; then
  build=$(mktemp -d)
  tar -xf "$source/wavegrade-source.tar" -C "$build" --strip-components=1
  (
    cd "$build"
    scripts/setup
    cmake --preset release -B build/release
    cmake --build build/release
    cmake --install build/release
  )
  rm -rf "$build"
else
  echo "setup.sh: there is no wavegrade: use an image that has it, or make this kit with --deb or --source" >&2
  exit 1
fi

# What does not work on this machine is said now, and not to the first student.
wavegrade doctor || true
wavegrade lint --no-timing --quiet "$source/assignment"
