# Kills every process that carries the variable $2 (NAME=VALUE), and then the process group $1. The
# first are in the group, or have moved to a session of their own, as launchers of some frameworks
# have their workers do; until none is left, because one may beget another while it is looked for.
# The group's leader and the lifeline, which may be the one that runs this, go last.
kill_program() {
  local file pid variable round found
  for ((round = 0; round < 20; round++)); do
    found=
    for file in /proc/[0-9]*/environ; do
      while IFS= read -r -d '' variable; do
        if [[ $variable == "$2" ]]; then
          pid=${file#/proc/}
          kill -KILL "${pid%/environ}" && found=1
          break
        fi
      done <"$file"
    done
    [[ -n $found ]] || break
  done
  kill -KILL -- "-$1"
}
