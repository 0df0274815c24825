# Ends a program when its executor orders it or dies. Runs in its own session, so that signals to the program's
# process group do not reach this script. The program is the process group $1 and every process that has the
# environment variable $2 (NAME=VALUE): the workers of some frameworks' launchers move to their own session. Orders
# come on standard input, a pipe that only the executor holds open:
#   TERM  send SIGTERM to the group
#   REST  the program's shell has ended after SIGTERM; wait until the processes that it has started have ended
# When the pipe closes, or when no process is left after REST, all remaining processes are killed. So no program
# outlives its executor, however the executor died.
exec 2>/dev/null
unset TMOUT
for ((signal = 1; signal <= 64; signal++)); do
  trap '' "$signal"
done
trap - CHLD # bash must be able to wait for its children

# Searches for $1 in the files $2, $3, … and adds the process IDs of the files that contain it to the array found.
# Fails if a file cannot be read within 5 s: reading the environment of a process that is stuck in the kernel may
# block for ever.
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

# Sets the array found to the IDs of the processes whose environment contains $1. If reading all files at once fails,
# reads each file separately; a file that blocks is never read again.
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
    *) continue ;; # no order within 0.1 s
  esac
  case $order in
    TERM) kill -TERM -- "-$1" || kill -TERM "$1" ;; # the process creates its group a moment after it starts
    REST) resting=yes ;;
  esac
done

# Kill the group first, because that needs no search. Then repeat: a process may fork during a search.
kill -KILL -- "-$1"
for ((round = 0; round < 20; round++)); do
  find_carriers "$2"
  ((${#found[@]})) || break
  kill -KILL "${found[@]}"
done
kill -KILL -- "-$1"
exit 0
