# Runs bash beside the user's program, for somebody who looks in: the file $1, at the head of a process group
# of its own. Every process of it carries the variable $3 (NAME=VALUE). What comes on standard input after the
# environment is for it to read. When that ends, the executor is gone, however it died, or nobody looks in any
# more: kill_program (from the folder $2) kills them all.
exec 3<&0 0</dev/null
exec 4>&2 2>/dev/null
source "$2/kill-program.sh"
source "$2/take-environment.sh"
export "$3"

exec 5< <(
  trap '' TERM INT HUP
  exec 4>&-
  cat <&3
  kill -STOP "$$" # that it does not end this shell when it sees the other one killed
  kill_program "$$" "$3"
)

# The executor's death is not seen there while the shell reads nothing of much that waits for it.
{
  trap '' TERM INT HUP
  exec 3<&- 4>&- 5<&-
  while [[ -d /proc/$PPID ]]; do sleep 1; done
  kill -STOP "$$"
  kill_program "$$" "$3"
} >/dev/null &

# A handler, not '': what is ignored here would be ignored in the shell too.
trap : TERM INT HUP
bash "$1" <&5 2>&4 3<&- 4>&- 5<&-
