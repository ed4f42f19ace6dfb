#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the Debian package and tries it in a bare Debian 12.
#
#   scripts/package.sh [BUILD]     build/release by default; the package is BUILD/clothlab_VERSION_ARCHITECTURE.deb
#
# Checks the package with lintian, the desktop file, the AppStream metadata and the man page; that the program is linked with nothing that
# is under the GPL; then, in a bare Debian 12 (debootstrap, kept as BUILD/bookworm.tar): it installs the package, starts
# the command of its desktop file under a virtual display, upgrades and removes it, and lists what remains. That part needs
# root and Debian 12 as the system. What was left out is listed at the end. The picture of the window is BUILD/package.png. Ends with
# 1 when a check fails.
# Debian: dpkg-dev file; for the checks lintian desktop-file-utils appstream man-db debootstrap xvfb xdotool imagemagick.
set -euo pipefail

case ${1-} in -h | --help)
  sed -n '3,/^set /{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
  exit 0
  ;;
esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=$(realpath -m "${1:-build/release}")

left_out=()
have() { # TOOL WHAT
  command -v "$1" > /dev/null && return
  left_out+=("$2 (no $1)")
  return 1
}
fail() {
  echo "package.sh: $1" >&2
  exit 1
}

command -v dpkg-shlibdeps > /dev/null || fail "dpkg-shlibdeps is missing (Debian: dpkg-dev)"
[[ $build == */build/release ]] && cmake --preset release --log-level=NOTICE
cmake --build "$build" --target clothlab manual
(cd "$build" && rm -f clothlab_*.deb && cpack -G DEB > cpack.log 2>&1) || fail "cpack failed: $build/cpack.log"
package=$(echo "$build"/clothlab_*.deb)
echo "$package: $(stat -c %s "$package") bytes"
dpkg-deb -f "$package" Depends Suggests Installed-Size

work=$(mktemp -d)
server='' mounted=''
clean() {
  [[ -z $server ]] || kill "$server"
  [[ -z $mounted ]] || umount "$mounted"
  rm -rf --one-file-system "$work"
}
trap clean EXIT

# The package by itself.
dpkg-deb -x "$package" "$work/content"
for file in bin/clothlab share/applications/clothlab.desktop share/metainfo/org.clothlab.clothlab.metainfo.xml share/mime/packages/clothlab.xml \
  share/icons/hicolor/256x256/apps/clothlab.png share/man/man1/clothlab.1.gz share/bash-completion/completions/clothlab \
  share/zsh/vendor-completions/_clothlab share/fish/vendor_completions.d/clothlab.fish share/clothlab/assets/scenes/01-sheet.json; do
  [[ -s $work/content/usr/$file ]] || fail "the package has no $file"
done
! have lintian "lintian" || lintian --allow-root --fail-on error,warning "$package"
! have desktop-file-validate "the desktop file" || desktop-file-validate "$work/content/usr/share/applications/clothlab.desktop"
! have appstreamcli "the AppStream metadata" || appstreamcli validate --no-net "$work/content/usr/share/metainfo/org.clothlab.clothlab.metainfo.xml"
if ! have man "the man page"; then
  :
elif [[ ! $(man --version 2> /dev/null) =~ [0-9]\.[0-9] ]]; then # as where Ubuntu is "minimized"
  left_out+=("the man page (man has no version, so it shows no pages)")
else
  LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l "$work/content/usr/share/man/man1/clothlab.1.gz" 2> "$work/man" > /dev/null
  [[ ! -s $work/man ]] || fail "the man page: $(head -3 "$work/man")"
fi
# Each library that the program itself names, and its package, has a row here: nothing else may be linked.
needed=$(objdump -p "$work/content/usr/bin/clothlab" | sed -n 's/^ *NEEDED *//p' | sort | tr '\n' ' ')
echo "linked with: $needed"
for library in $needed; do
  case $library in
    libc.so.* | libm.so.* | libgcc_s.so.* | libstdc++.so.* | ld-linux*) ;; # LGPL, or GPL with the exception for programs
    libEGL.so.* | libglfw.so.* | libstb.so.* | libtinyobjloader*.so.* | libzip.so.*) ;; # MIT, Zlib, BSD
    *) fail "$library is linked: add it here if its licence is neither GPL nor unknown" ;;
  esac
done

bare() {
  # shellcheck source=/dev/null
  [[ $(. /etc/os-release && echo "$ID ${VERSION_ID-}") == "debian 12" ]] || # the package depends on libraries of the system
    { left_out+=("THE INSTALLATION IN A BARE DEBIAN 12 (this system, which built the package, is not Debian 12)"); return 1; }
  ((EUID == 0)) || { left_out+=("the bare root (not root)"); return 1; }
  have debootstrap "the bare root" && have Xvfb "the bare root" && have xdotool "the bare root" && have import "the bare root"
}
if bare; then
  root=$work/root
  mkdir "$root"
  if [[ ! -s $build/bookworm.tar ]]; then
    debootstrap --variant=minbase bookworm "$work/new" http://deb.debian.org/debian > "$build/debootstrap.log"
    tar -C "$work/new" -cf "$build/bookworm.tar" .
    rm -rf --one-file-system "$work/new"
  fi
  tar -C "$root" -xf "$build/bookworm.tar"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  mount -t proc proc "$root/proc"
  mounted=$root/proc
  inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    ${http_proxy:+http_proxy="$http_proxy"} "$@"; }
  install_packages() { inside apt-get -q -y --no-install-recommends -o Acquire::Retries=3 install "$@" >> "$build/bare.log" 2>&1 ||
    fail "apt-get install $*: $build/bare.log"; }
  # Names of all files, and contents of the configuration; not logs, caches, lists and states of apt and dpkg.
  files() {
    (cd "$root" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./tmp -o -path ./home -o -path ./var/log \
      -o -path ./var/cache -o -path ./var/lib/apt -o -path ./var/lib/dpkg \) -prune -o -print | sort
      find etc -type f ! -name ld.so.cache ! -name 'passwd*' ! -name 'group*' ! -name '*shadow*' ! -name 'sub[ug]id*' -exec sha256sum {} + | sort -k 2)
  }
  : > "$build/bare.log"
  inside useradd -m tester
  inside apt-get -q update >> "$build/bare.log" 2>&1 || fail "apt-get update: $build/bare.log"

  # An earlier version with a file that the present one does not have.
  dpkg-deb -R "$package" "$work/earlier"
  sed -i 's/^Version: .*/Version: 0.0.1/' "$work/earlier/DEBIAN/control"
  touch "$work/earlier/usr/share/clothlab/assets/scenes/00-earlier.json"
  dpkg-deb --root-owner-group -b "$work/earlier" "$root/tmp/earlier.deb" > /dev/null
  cp "$package" "$root/tmp/clothlab.deb"

  read -r number < <(Xvfb -displayfd 1 -screen 0 1400x900x24 -noreset -nolisten tcp 2> /dev/null & echo $! > "$work/server"; wait)
  server=$(cat "$work/server")
  start() { # PICTURE TITLE [FILE]: what a click in the menu, or on a file, does
    local command state=/home/tester/state.json
    command=$(sed -n 's/^Exec=//p' "$root/usr/share/applications/clothlab.desktop" | head -1)
    command=${command//%f/${3-}}
    rm -f "$root$state"
    value() { sed -n "s/^ \"$1\": \(.*\),$/\1/p" "$root$state" 2> /dev/null || true; }
    # shellcheck disable=SC2086 # words of a command line
    chroot --userspec=tester "$root" env -i PATH=/usr/bin:/bin HOME=/home/tester DISPLAY=":$number" CLOTHLAB_WINDOW_STATE=$state \
      $command > "$work/program.log" 2>&1 &
    local program=$! k
    for ((k = 0; k < 600; ++k)); do
      ((10#0$(value frames) < 10)) || [[ $(value title) != "\"$2\"" ]] || break
      kill -0 "$program" 2> /dev/null || fail "the program ended: $(cat "$work/program.log")"
      sleep 0.1
    done
    ((k < 600)) || fail "the program did not show \"$2\" within a minute: $(cat "$work/program.log")"
    local class
    class=$(sed -n 's/^StartupWMClass=//p' "$root/usr/share/applications/clothlab.desktop")
    DISPLAY=:$number xdotool search --onlyvisible --class "^$class\$" > /dev/null || fail "no window of the class $class"
    echo "shown: $(value window_title)"
    DISPLAY=:$number import -window root "$1"
    DISPLAY=:$number xdotool key ctrl+q
    wait "$program" || fail "the program ended with $?: $(cat "$work/program.log")"
  }

  files > "$work/before"
  install_packages /tmp/earlier.deb
  start "$work/earlier.png" "Sheet on two corners"
  settings=$root/home/tester/.config/clothlab/settings.json
  [[ -s $settings ]] || fail "the program kept no settings"
  sha256sum "$settings" > "$work/settings"
  install_packages /tmp/clothlab.deb
  [[ ! -e $root/usr/share/clothlab/assets/scenes/00-earlier.json ]] || fail "the upgrade left a file of the earlier version"
  sha256sum --quiet -c "$work/settings" || fail "the upgrade changed the settings"
  start "$build/package.png" "Tablecloth" /usr/share/clothlab/assets/scenes/24-table-cloth.json
  # A desktop has these; their triggers update caches of menu and file types.
  sha256sum "$settings" > "$work/settings"
  install_packages desktop-file-utils shared-mime-info hicolor-icon-theme
  for type in journal:\*.journal bundle+zip:\*.clothlab; do
    grep -qxF "50:application/x-clothlab-$type" "$root/usr/share/mime/globs2" || fail "the file types are not known"
  done
  grep -q 'clothlab.desktop' "$root/usr/share/applications/mimeinfo.cache" || fail "the desktop file opens no files"
  inside apt-get -q -y purge clothlab >> "$build/bare.log" 2>&1
  ! grep -rq clothlab "$root/usr/share/mime" "$root/usr/share/applications" || fail "the removal left file types"
  inside apt-get -q -y --auto-remove purge desktop-file-utils shared-mime-info hicolor-icon-theme >> "$build/bare.log" 2>&1
  sha256sum --quiet -c "$work/settings" || fail "the removal changed the settings"
  files > "$work/after"
  echo "$(diff "$work/before" "$work/after" | tee "$work/remains" | grep -c '^[<>]' || true) files remain or are changed after the removal, except the user's settings:"
  cat "$work/remains"
  ! grep -q clothlab "$work/remains" || fail "the removal left files"
fi
((${#left_out[@]} == 0)) || printf 'LEFT OUT: %s\n' "${left_out[@]}"
