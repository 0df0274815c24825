# The checks that tony.application.preflight names: gpu, network, disk. Sourced by bash in a new container, before its task
# registers; the first that fails says why on stderr and ends the shell with 1.

unfit() {
  echo "$1: $2" >&2
  exit 1
}

# As many GPUs answer as the container is to have. A node that does not isolate them shows more.
preflight_gpu() {
  local asked=$TONY_PREFLIGHT_GPUS said found
  ((asked)) || return 0
  said=$("$TONY_PREFLIGHT_GPU_PROGRAM" --query-gpu=index,utilization.gpu,memory.used --format=csv,noheader,nounits 2>&1) ||
    unfit gpu "$TONY_PREFLIGHT_GPU_PROGRAM failed: ${said##*$'\n'}"
  found=$(grep -c '^[0-9]' <<<"$said") || true
  ((found >= asked)) || unfit gpu "$found of $asked GPUs answer"
}

# The node has an address for its own name, by which the other tasks call it, and one network is up beside the loopback.
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

# 16 MiB can be written to the container's folder and to that of its logs, and a gigabyte is left in the first.
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
