# Kills every process that carries the variable $2 (NAME=VALUE), and then the process group $1. The
# first are in the group, or have moved to a session of their own, as launchers of some frameworks
# have their workers do; until none is left, because one may beget another while it is looked for.
# The group's leader and the lifeline, which may be the one that runs this, go last.
kill_program() {
  local files file pid round
  for ((round = 0; round < 20; round++)); do
    # Without the variable: it must not find itself. (Its exit code tells of processes that go.)
    files=$(unset "${2%%=*}" && grep -lsaF -- "$2" /proc/[0-9]*/environ)
    [[ -n $files ]] || break
    for file in $files; do
      pid=${file#/proc/}
      kill -KILL "${pid%/environ}"
    done
  done
  kill -KILL -- "-$1"
}
