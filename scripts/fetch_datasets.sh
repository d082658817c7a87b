#!/bin/sh
# Puts data sets of datasets/catalog.toml under a data directory, verified by their sha256.
#
#   scripts/fetch_datasets.sh NAME... [--data-dir DIR] [--mirror DIR]
#   scripts/fetch_datasets.sh --list
#
# --data-dir DIR  where to put them (default: ./data), as DIR/NAME/FILE.gz
# --mirror DIR    copy from a local folder laid out the same way instead of downloading
#
# What is there and verified is left alone. A file gets its name only when it is whole and verified.
# Exit status: 0 done; 1 a file cannot be had; 2 wrong usage; 3 a checksum does not agree.
#
# Only sh, awk, sed, gzip and sha256sum are needed, bzip2 or xz where a source is packed so, and
# curl or wget for downloads: a fresh Debian has no Python.
set -eu

catalog=$(dirname "$0")/../datasets/catalog.toml
data_dir=data
mirror=
names=
work=

say() { printf '%s\n' "$*"; }
fail() {
  status=$1
  shift
  printf 'fetch_datasets.sh: %s\n' "$*" >&2
  exit "$status"
}

# One line a file: set, format, path, source, sha256, content_sha256; "-" where there is none.
list_files() {
  awk '
    function text(line) { sub(/^[^"]*"/, "", line); sub(/".*$/, "", line); return line }
    function flush() {
      if (path != "") print name, format, path, source, sum, content
      path = ""; source = sum = content = "-"
    }
    BEGIN { OFS = "\t"; flush() }
    /^\[/ { flush() }
    /^name = / { name = text($0) }
    /^format = / { format = text($0) }
    /^path = / { path = text($0) }
    /^source = / { source = text($0) }
    /^sha256 = / { sum = text($0) }
    /^content_sha256 = / { content = text($0) }
    END { flush() }
  ' "$catalog"
}

list_sets() {
  awk '
    function value(line) { sub(/^[^=]*= /, "", line); gsub(/"/, "", line); return line }
    function flush() {
      if (name != "") printf "%-14s %9s rows %9s features  %s\n", name, rows, features, summary
      name = ""
    }
    /^\[\[dataset\]\]/ { flush() }
    /^name = / { name = value($0) }
    /^summary = / { summary = value($0) }
    /^rows = / { rows = value($0) }
    /^features = / { features = value($0) }
    END { flush() }
  ' "$catalog"
}

sha256() {
  if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi | cut -d ' ' -f 1
}

# verified FILE SHA256 CONTENT_SHA256: the stored file agrees, or its content does: gzip need not
# pack the same bytes everywhere. Where neither is known, the file must at least be whole.
verified() {
  [ "$(sha256 <"$1")" != "$2" ] || return 0
  gzip -t "$1" 2>/dev/null || return 1
  case $2$3 in
    --) return 0 ;;
    *-) return 1 ;;
  esac
  [ "$(gzip -dc "$1" | sha256)" = "$3" ]
}

download() {
  if command -v curl >/dev/null; then
    curl --fail --location --silent --show-error --retry 3 --output "$2" "$1"
  elif command -v wget >/dev/null; then
    wget --quiet --tries=3 --output-document="$2" "$1"
  else
    fail 1 "neither curl nor wget is installed"
  fi
}

unpack() {
  case $1 in
    *.bz2) bzip2 -dc "$2" ;;
    *.xz) xz -dc "$2" ;;
    *) cat "$2" ;;
  esac
}

# LIBSVM files are kept without blanks at the ends of lines and without empty lines.
tidy() {
  if [ "$1" = libsvm ]; then sed -e 's/[[:blank:]]*$//' -e '/^$/d'; else cat; fi
}

# get_original SOURCE FORMAT TO
get_original() {
  download "$1" "$work/original" || fail 1 "cannot download $1"
  case $1 in
    *.gz) mv "$work/original" "$3" ;;
    *)
      # A pipe tells only whether its last command failed, hence the marker.
      { unpack "$1" "$work/original" || : >"$work/damaged"; } | tidy "$2" | gzip -9n >"$3"
      [ ! -e "$work/damaged" ] || fail 1 "$1 cannot be decompressed"
      ;;
  esac
}

# fetch_file FORMAT PATH SOURCE SHA256 CONTENT_SHA256
fetch_file() {
  target=$data_dir/$2
  if [ -f "$target" ] && verified "$target" "$4" "$5"; then
    say "there already: $target"
    return
  fi
  mkdir -p "$(dirname "$target")" || fail 1 "cannot make $(dirname "$target")"
  work=$(mktemp -d "$target.XXXXXX") || fail 1 "cannot write to $(dirname "$target")"
  if [ -n "$mirror" ]; then
    [ -f "$mirror/$2" ] || fail 1 "no file $mirror/$2"
    cp "$mirror/$2" "$work/file"
  else
    [ "$3" != - ] || fail 1 "no address holds $2 as it is needed; copy it with --mirror DIR"
    get_original "$3" "$1" "$work/file"
  fi
  verified "$work/file" "$4" "$5" ||
    fail 3 "$2: the sha256 is $(sha256 <"$work/file"); expected $4"
  chmod 644 "$work/file"
  mv "$work/file" "$target"
  rm -rf "$work"
  work=
  unchecked=
  [ "$4$5" != -- ] || unchecked=' (no checksum is known)'
  say "fetched: $target$unchecked"
}

clean_up() {
  [ -n "$work" ] || return 0
  rm -rf "$work"
  rmdir "$(dirname "$work")" 2>/dev/null || : # nothing is left of a set that failed
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

while [ $# -gt 0 ]; do
  case $1 in
    --data-dir | --mirror)
      [ $# -ge 2 ] || fail 2 "$1 needs a directory"
      if [ "$1" = --mirror ]; then mirror=$2; else data_dir=$2; fi
      shift
      ;;
    --list)
      list_sets
      exit 0
      ;;
    -h | --help)
      sed -n '2,/^set/s/^# \{0,1\}//p' "$0"
      exit 0
      ;;
    -*) fail 2 "unknown flag $1; known: --data-dir, --mirror, --list, --help" ;;
    *) names="$names $1" ;;
  esac
  shift
done

[ -n "$names" ] || fail 2 "no data set named; known: $(list_files | cut -f 1 | uniq | tr '\n' ' ')"
[ -z "$mirror" ] || [ -d "$mirror" ] || fail 1 "no directory $mirror"
for name in $names; do
  list_files | cut -f 1 | grep -qxF -e "$name" ||
    fail 2 "no data set named '$name'; known: $(list_files | cut -f 1 | uniq | tr '\n' ' ')"
done
for name in $names; do
  files=$(list_files | awk -F '\t' -v name="$name" '$1 == name')
  while IFS='	' read -r _ format path source sum content; do
    fetch_file "$format" "$path" "$source" "$sum" "$content"
  done <<END
$files
END
done
