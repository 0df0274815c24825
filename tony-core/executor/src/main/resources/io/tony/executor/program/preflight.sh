# Built-in checks for tony.application.preflight: gpu, network, disk. Run by bash in a new container, before the
# container's task registers. The first check that fails writes the reason to stderr and exits with code 1.

unfit() {
  echo "$1: $2" >&2
  exit 1
}

# Checks that at least as many GPUs answer as the container has. A node that does not isolate GPUs shows more.
preflight_gpu() {
  local asked=$TONY_PREFLIGHT_GPUS said found
  ((asked)) || return 0
  said=$("$TONY_PREFLIGHT_GPU_PROGRAM" --query-gpu=index,utilization.gpu,memory.used --format=csv,noheader,nounits 2>&1) ||
    unfit gpu "$TONY_PREFLIGHT_GPU_PROGRAM failed: ${said##*$'\n'}"
  found=$(grep -c '^[0-9]' <<<"$said") || true
  ((found >= asked)) || unfit gpu "$found of $asked GPUs answer"
}

# Checks that the node can resolve its own name, which other tasks use, and that a network other than the loopback is
# up.
preflight_network() {
  local interface state
  command -v getent >/dev/null || unfit network "there is no getent"
  getent ahosts "$TONY_PREFLIGHT_HOST" >/dev/null || unfit network "the node does not know its own name $TONY_PREFLIGHT_HOST"
  for interface in "$TONY_PREFLIGHT_NETWORKS"/*; do
    state=$(cat "$interface/operstate" 2>/dev/null) || continue
    [[ ${interface##*/} == lo || $state != up && $state != unknown ]] || return 0
  done
  unfit network "no network is up beside the loopback"
}

# Checks that 16 MiB can be written to the container's folder and to its log folder, and that the container's folder
# has 1 GiB free.
preflight_disk() {
  local folder file said free
  for folder in "$PWD" "$TONY_PREFLIGHT_LOGS"; do
    file=$(mktemp "$folder/.tony-preflight.XXXXXX" 2>&1) || unfit disk "$folder cannot be written to: ${file##*: }"
    said=$(dd if=/dev/zero of="$file" bs=1M count=16 conv=fsync 2>&1) || { rm -f "$file"; unfit disk "$folder: ${said%%$'\n'*}"; }
    rm -f "$file"
  done
  free=$(df -Pm . | awk 'NR == 2 {print $4}')
  ((free >= 1024)) || unfit disk "$PWD has $free MiB left, less than 1024"
}
