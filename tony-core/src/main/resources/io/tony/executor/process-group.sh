# Runs the user's command line, kept in the file $1, at the head of a process group of its own. Every
# process of it carries the variable $3 (NAME=VALUE). Standard input is a pipe that only the executor
# holds open: when the executor is gone, however it died, the pipe ends, and kill_program (from the
# folder $2) kills them all. No program outlives its executor.
exec 3<&0 0</dev/null

# The program's stderr ends with what the program says, not with this shell's word that it was killed.
exec 4>&2 2>/dev/null

# The executor says by this that it ends the program now, and kills what is left of it in a while.
trap TONY_EXECUTOR_ENDS_IT=yes USR1

source "$2/kill-program.sh"
source "$2/take-environment.sh"
export "$3"

# The lifeline stays through a SIGTERM to the group: the executor may die before the program ends.
trap '' TERM INT HUP
{
  exec 4>&-
  TMOUT=0 read -r -u 3
  kill -STOP "$$" # that it does not end this shell when it sees the program killed
  kill_program "$$" "$3"
} &

# A signal to the group is for the program, which may need a moment; this shell stays to learn how it
# ended. (A handler, not '': what is ignored here would be ignored in the program too.)
trap : TERM INT HUP
bash "$1" 2>&4 3<&- 4>&-
code=$?

# By SIGTERM a shell is gone at once, and what it has started may still save its state: it has its time, too. (This
# shell's own environment is as it was before the variable.)
while [[ -n $TONY_EXECUTOR_ENDS_IT && $code = 143 ]] && (unset "${3%%=*}" && grep -qsaF -- "$3" /proc/[0-9]*/environ); do
  sleep 0.1
done

trap - TERM
kill -KILL $! && wait $!
exit "$code"
