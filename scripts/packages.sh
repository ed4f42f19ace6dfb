# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
# Sourced by run.sh and test.sh: the Debian and Ubuntu packages that ClothLab needs, and their installation.

build_packages=(
  g++ cmake ninja-build pkg-config
  libglfw3-dev libimgui-dev libglm-dev libtinyobjloader-dev python3-glad libstb-dev
  libegl-dev libgl1 libgl1-mesa-dri fonts-dejavu-core
  libeigen3-dev libcli11-dev nlohmann-json3-dev libzip-dev
)
test_packages=(
  libgtest-dev libgmock-dev libgmp-dev clang clang-format
  xvfb xdotool python3-xlib ffmpeg
  pybind11-dev python3-dev python3-numpy python3-matplotlib
)
study_packages=(snakemake) # for the test of studies/; 682 MB, so only for the hosted check (.ci/apt.conf)

# say_error <sentence>
say_error() { printf '%s: %s\n' "$(basename "$0")" "$1" >&2; }

# ensure_packages <yes|no> <package>...
#
# Installs those that are missing: says which, and asks first unless the first argument is yes. Asks nothing
# where nothing is missing. Without apt it says what is needed and leaves the verdict to CMake.
ensure_packages() {
  local assume_yes=$1 package answer
  local -a missing=() as_root=()
  shift
  if ! command -v apt-get > /dev/null; then
    if ! command -v cmake > /dev/null; then
      say_error "CMake and the libraries in third_party/README.md are needed; install them with the system's package manager."
      return 1
    fi
    echo "This system has no apt: if CMake misses a library, third_party/README.md tells what to install."
    return 0
  fi
  for package; do
    [[ $(dpkg-query -W -f='${Status}' "$package" 2> /dev/null) == "install ok installed" ]] || missing+=("$package")
  done
  ((${#missing[@]})) || return 0

  echo "These packages are missing and will be installed with apt: ${missing[*]}"
  if ((EUID != 0)); then
    if ! command -v sudo > /dev/null; then
      say_error "Installing needs root, and there is no sudo. As root: apt-get install ${missing[*]}"
      return 1
    fi
    as_root=(sudo)
  fi
  if [[ $assume_yes != yes ]]; then
    if ! read -r -p "Install them? [Y/n] " answer; then
      echo
      say_error "There is nobody to answer; --yes installs without asking."
      return 1
    fi
    if [[ -n $answer && $answer != [Yy]* ]]; then
      say_error "Nothing was installed."
      return 1
    fi
  fi
  local -a apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive ${APT_CONFIG:+"APT_CONFIG=$APT_CONFIG"} apt-get -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
  # A repository that does not answer need not be one that is used here: the installation decides.
  "${apt[@]}" update || say_error "The package lists could not all be updated; going on."
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}" < /dev/null
}
