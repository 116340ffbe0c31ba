#!/bin/sh
# Installs tandem, the command-line client of the Tandem service at @URL@
#
#   curl -fsSL @INSTALL_URL@ | sh
#
# It needs Node.js 22 or newer, and puts one file into ~/.local/bin, or into TANDEM_INSTALL_DIR. What it downloads must
# have the checksum that is written below, or nothing is installed.
set -eu

url=@QUOTED_URL@
checksum=@CHECKSUM@

say() {
  printf '%s\n' "$*"
}

fail() {
  printf 'tandem was not installed: %s\n' "$*" >&2
  exit 1
}

has() {
  command -v "$1" >/dev/null 2>&1
}

# The SHA-256 of a file, by what this machine has.
sum_of() {
  if has sha256sum; then
    sha256sum <"$1" | cut -d ' ' -f 1
  elif has shasum; then
    shasum -a 256 <"$1" | cut -d ' ' -f 1
  elif has openssl; then
    openssl dgst -sha256 <"$1" | sed 's/^.*= *//'
  else
    fail 'sha256sum, shasum or openssl is needed to check the download.'
  fi
}

download() {
  if has curl; then
    curl -fsSL --retry 3 -o "$2" "$1" || fail "$1 could not be downloaded."
  elif has wget; then
    wget -q -O "$2" "$1" || fail "$1 could not be downloaded."
  else
    fail 'curl or wget is needed.'
  fi
}

check_node() {
  has node || fail 'Node.js 22 or newer is needed, and there is no node here. See https://nodejs.org/'
  version=$(node -p process.versions.node 2>/dev/null) || fail 'the node that is here does not work.'
  major=${version%%.*}
  case $major in
    '' | *[!0-9]*) fail "the node that is here calls itself $version." ;;
  esac
  [ "$major" -ge 22 ] || fail "Node.js 22 or newer is needed; this one is $version. See https://nodejs.org/"
}

# The first tandem that a shell finds is the one that runs.
tell_path() {
  case ":$PATH:" in
    *":$1:"*)
      found=$(command -v tandem || true)
      [ "$found" = "$1/tandem" ] || say "Careful: $found comes first in your PATH."
      ;;
    *)
      say "$1 is not in your PATH. Put this into the file that your shell starts with:"
      say "  export PATH=\"$1:\$PATH\""
      ;;
  esac
}

main() {
  directory=${TANDEM_INSTALL_DIR:-${HOME:?is not set: say where with TANDEM_INSTALL_DIR}/.local/bin}
  case $directory in
    /*) ;;
    *) directory=$PWD/$directory ;;
  esac
  check_node
  mkdir -p "$directory" || fail "$directory cannot be made."
  fresh=$(mktemp "$directory/.tandem.XXXXXX") || fail "$directory cannot be written to."
  trap 'rm -f "$fresh"' EXIT
  trap 'exit 1' HUP INT TERM
  download "$url/cli/tandem.cjs" "$fresh"
  sum=$(sum_of "$fresh")
  [ "$sum" = "$checksum" ] || fail "the download is not what it should be (SHA-256 is $sum, not $checksum). If the service was updated just now, run the installer again."
  chmod 755 "$fresh"
  mv -f "$fresh" "$directory/tandem"
  say "Installed tandem $("$directory/tandem" --version | cut -d ' ' -f 2) as $directory/tandem"
  tell_path "$directory"
  say "Next: tandem login --url $url"
}

# Last, so that a download that was cut off runs nothing.
main "$@"
