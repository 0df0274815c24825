# Stands beside a program, in a session of its own, where no signal to the program's process group reaches it. The
# program is the process group $1, and every process that carries the variable $2 (NAME=VALUE): some move to a session
# of their own, as launchers of some frameworks have their workers do. Orders come on standard input, a pipe that only
# the executor holds open:
#   TERM  the group gets SIGTERM
#   REST  the program's shell has ended by that; what it has started has its time, as long as any of it is left
# When the pipe ends, or after REST nothing is left, all of it is killed. No program outlives its executor, however
# that died.
exec 2>/dev/null
unset TMOUT
for ((signal = 1; signal <= 64; signal++)); do
  trap '' "$signal"
done
trap - CHLD # it waits for what it starts

# Reads the names of those files that hold $1 into found, or fails: the kernel may not let the environment of a
# process that hangs in it be read, and whoever reads it hangs with it.
search() {
  local file status
  exec 5< <(exec grep -lsaF -- "$@" </dev/null)
  while true; do
    read -r -t 5 -u 5 file
    status=$?
    ((status == 0)) || break
    found+=("${file//[^0-9]/}")
  done
  exec 5<&-
  ((status <= 128))
}

# Sets found to the numbers of the processes that carry $1. Where one of all cannot be read, each is read by itself,
# and that one never again.
declare -A unreadable
find_carriers() {
  local file files=()
  for file in /proc/[0-9]*/environ; do
    [[ -n ${unreadable[$file]} ]] || files+=("$file")
  done
  found=()
  search "$1" "${files[@]}" && return
  found=()
  for file in "${files[@]}"; do
    search "$1" "$file" || unreadable[$file]=yes
  done
}

resting=
while true; do
  if [[ -n $resting ]]; then
    find_carriers "$2"
    ((${#found[@]})) || break
    read -r -t 0.1 order
  else
    read -r order
  fi
  case $? in
    0) ;;
    1) break ;;
    *) continue ;; # nothing within that time
  esac
  case $order in
    TERM) kill -TERM -- "-$1" || kill -TERM "$1" ;; # its group begins a moment after it
    REST) resting=yes ;;
  esac
done

# The group first, which takes no search. Then again and again: one may beget another while it is looked for.
kill -KILL -- "-$1"
for ((round = 0; round < 20; round++)); do
  find_carriers "$2"
  ((${#found[@]})) || break
  kill -KILL "${found[@]}"
done
kill -KILL -- "-$1"
exit 0
