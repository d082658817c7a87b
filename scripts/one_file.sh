#!/usr/bin/env bash
# Makes one file of the program, which runs on any Linux of this processor: it brings its libraries, the C library
# and the dynamic linker among them. Prints its path.
#   scripts/one_file.sh [BUILD [FILE]]     of that build folder; build/release, build/one-file/trainyard without one
#
# Not one statically linked program: Debian has some of the libraries as shared ones alone. The file is a shell script
# with an archive behind it, which it unpacks when it runs first, into ~/.cache/trainyard (XDG_CACHE_HOME), under a name
# that is made of the archive. What it needs is sh, tail, gzip and tar, and a kernel that its C library takes (3.2).
set -euo pipefail
cd "$(dirname "$0")/.."

build=${1:-build/release}
file=${2:-build/one-file/trainyard}
[[ -x $build/trainyard ]] || {
  echo "one_file.sh: there is no $build/trainyard; scripts/build.sh makes it" >&2
  exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/trainyard
cmake --install "$build" --component program --prefix "$root" >/dev/null
strip "$root/bin/trainyard"
mkdir "$root/lib"
linker=
while read -r name arrow library _; do
  [[ $name == linux-vdso* ]] && continue
  [[ $arrow == '=>' ]] || {
    library=$name # the linker, by its path
    linker=$(basename "$name")
  }
  [[ -e $library ]] || {
    echo "one_file.sh: $name is not found" >&2
    exit 1
  }
  cp -L "$library" "$root/lib/$(basename "$name")"
done < <(ldd "$build/trainyard")
strip --strip-unneeded "$root"/lib/*

archive=$work/archive.tar.gz
tar --create --directory "$root" --sort=name --owner=0 --group=0 --mtime=@0 . | gzip -9n >"$archive"
name=$(sha256sum "$archive" | cut -c 1-16)
cat >"$work/begin.sh" <<BEGIN
#!/bin/sh
# Trainyard. What stands behind these lines is unpacked here once:
# (In /tmp anybody could lie in wait under that name.)
unpacked=\${XDG_CACHE_HOME:-\${HOME:?is not set; XDG_CACHE_HOME says where trainyard unpacks itself}/.cache}/trainyard/$name
if [ ! -d "\$unpacked" ]; then
  partial=\$unpacked.\$\$
  trap 'rm -rf "\$partial"' EXIT
  { mkdir -p "\$partial" && tail -n +LINES "\$0" | gzip -dc | tar -xf - -C "\$partial"; } || {
    echo "trainyard: cannot unpack itself into \$partial; XDG_CACHE_HOME says where else" >&2
    exit 1
  }
  # Somebody else may have been sooner.
  mv -T "\$partial" "\$unpacked" 2>/dev/null || [ -d "\$unpacked" ] || {
    echo "trainyard: cannot make \$unpacked; XDG_CACHE_HOME says where else" >&2
    exit 1
  }
  rm -rf "\$partial"
  trap - EXIT
fi
exec "\$unpacked/lib/$linker" --library-path "\$unpacked/lib" "\$unpacked/bin/trainyard" "\$@"
BEGIN
sed -i "s/+LINES/+$(($(wc -l <"$work/begin.sh") + 1))/" "$work/begin.sh"
mkdir -p "$(dirname "$file")"
cat "$work/begin.sh" "$archive" >"$work/whole"
chmod 755 "$work/whole"
mv "$work/whole" "$file"
echo "$file"
