#!/bin/sh
# Start a Docker engine of our own, and give it an image with Python.
#
#   sh tests/engine/start.sh FOLDER
#
# prints the lines to `eval` (or to put in front of pytest by hand). Needs
# root and dockerd (apt-get install --no-install-recommends docker.io). The
# socket, the data and the log are in FOLDER; no other engine is touched, and
# neither netfilter nor a bridge is set up: our containers have no network.
# PYTHON names the interpreter that goes into the image. Stop it with stop.sh.
set -eu

folder=${1:?the folder for socket, data and log}
here=$(cd "$(dirname "$0")" && pwd)
image=local/host-first-python:ci
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
DOCKER_HOST=unix://$folder/docker.sock
export DOCKER_HOST

if [ ${#folder} -gt 60 ]; then
  # containerd puts sockets below, and a socket's path ends at 107 bytes.
  echo "start.sh: choose a folder with a shorter path than $folder" >&2
  exit 1
fi
command -v dockerd >/dev/null || {
  echo "start.sh: dockerd is missing: apt-get install docker.io" >&2
  exit 1
}

if ! docker version >/dev/null 2>&1; then
  # A daemon that was killed leaves pid files, its own and containerd's. A new one
  # believes them as long as the number exists: as a zombie, or as another process.
  for file in "$folder/pid" "$folder/exec/containerd/containerd.pid"; do
    daemon=$(cat "$file" 2>/dev/null || true)
    if [ -n "$daemon" ] && ! grep -aqsF -- "$folder/" "/proc/$daemon/cmdline"; then
      rm "$file"
    fi
  done
  dockerd --host "$DOCKER_HOST" --pidfile "$folder/pid" \
    --data-root "$folder/data" --exec-root "$folder/exec" \
    --iptables=false --ip6tables=false --bridge=none \
    >>"$folder/log" 2>&1 </dev/null &
  daemon=$!
  tries=0
  until docker version >/dev/null 2>&1; do
    tries=$((tries + 1))
    if [ "$tries" -gt 240 ] || ! kill -0 "$daemon" 2>/dev/null; then
      echo "start.sh: dockerd did not come up; the end of its log:" >&2
      tail -n 20 "$folder/log" >&2
      exit 1
    fi
    sleep 0.25
  done
fi

docker image inspect "$image" >/dev/null 2>&1 ||
  "${PYTHON:-python3}" "$here/make_image.py" |
  docker import --change 'CMD ["python"]' - "$image" >/dev/null

echo "export DOCKER_HOST='$DOCKER_HOST'"
echo "export SANDBOX_IMAGE='$image'"
