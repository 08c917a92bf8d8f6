#!/usr/bin/env bash
# Installs a real vLLM for machines without a GPU into a folder that is kept
# between runs, and makes a tiny model for it. Safe to call again: what is
# there already is left alone.
#
#   install.sh env DIR     the Python environment in DIR/env
#   install.sh model DIR   the same, then the model in DIR/model
set -euo pipefail

what=${1:?env or model}
dir=${2:?the folder to install into}
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
mkdir -p -- "$dir"
dir=$(cd -- "$dir" && pwd)
env=$dir/env
python=$env/bin/python

# One install at a time; a second caller waits for the first and finds it done.
exec 9>"$dir/lock"
flock 9

# What an installation depends on; another digest makes a new one.
stamp_of() { { cat -- "$@"; python3 --version; uname -m; } | sha256sum | cut -d' ' -f1; }
is_done() { [ -f "$1" ] && [ "$(cat -- "$1")" = "$2" ]; }

system_packages() {
  local missing=()
  command -v gcc >/dev/null || missing+=(gcc)
  command -v readelf >/dev/null || missing+=(binutils)
  python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
  ldconfig -p | grep -q 'libnuma\.so\.1 ' || missing+=(libnuma1)
  ldconfig -p | grep -q 'libtcmalloc_minimal\.so\.4 ' || missing+=(libtcmalloc-minimal4)
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "engine: these packages are missing, install them first: ${missing[*]}" >&2
    exit 1
  fi
  echo "engine: installing ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  apt-get -qq install -y --no-install-recommends "${missing[@]}" >/dev/null ||
    { apt-get -qq update && apt-get -qq install -y --no-install-recommends "${missing[@]}" >/dev/null; }
}

install_env() {
  local stamp
  stamp=$(stamp_of "$here/requirements.lock" "$here/nocuda.py")
  if is_done "$dir/env.stamp" "$stamp"; then return; fi
  system_packages
  rm -rf -- "$env" "$dir/env.stamp"
  echo "engine: installing vLLM's CPU build into $env (about 0.9 GB to fetch, 2.8 GB on disk)"
  python3 -m venv "$env"
  # Without dependencies: the lock file is the whole closure, but for NVIDIA's
  # libraries, which nocuda.py makes unnecessary.
  "$python" -m pip install --quiet --disable-pip-version-check --no-input --no-deps --requirement "$here/requirements.lock"
  "$python" "$here/nocuda.py"
  "$python" -c 'import torch; assert not torch.cuda.is_available(); torch.ones(2, 2, dtype=torch.bfloat16) @ torch.ones(2, 2, dtype=torch.bfloat16)'
  printf '%s\n' "$stamp" >"$dir/env.stamp"
}

make_model() {
  local stamp
  stamp=$(stamp_of "$here/requirements.lock" "$here/tinymodel.py")
  if is_done "$dir/model.stamp" "$stamp"; then return; fi
  rm -rf -- "$dir/model" "$dir/model.stamp"
  "$python" "$here/tinymodel.py" "$dir/model"
  printf '%s\n' "$stamp" >"$dir/model.stamp"
}

case $what in
  env) install_env ;;
  model) install_env; make_model ;;
  *) echo "engine: unknown target $what" >&2; exit 2 ;;
esac
