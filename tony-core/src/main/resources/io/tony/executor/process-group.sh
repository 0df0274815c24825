# Runs the user's command line, kept in the file $1, at the head of a process group of its own.
# Standard input is a pipe that only the executor holds open: when the executor is gone, however it
# died, the pipe ends, and the whole group is killed. No program outlives its executor.
exec 3<&0 0</dev/null

bash "$1" 3<&- &
program=$!

{
  read -r <&3
  kill -KILL -- "-$$"
} &
lifeline=$!
exec 3<&-

# SIGTERM is for the program, which may need a moment; this shell stays to learn how it ended.
# (A handler, not '': what is ignored here would be ignored in the program too.)
trap : TERM INT HUP
wait "$program"
code=$?
while kill -0 "$program" 2>/dev/null; do
  wait "$program"
  code=$?
done

trap - TERM
{ kill -KILL "$lifeline" && wait "$lifeline"; } 2>/dev/null
exit "$code"
