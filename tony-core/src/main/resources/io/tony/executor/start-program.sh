# Becomes the shell that runs the file $1, at the head of a session and a process group of its own in which nothing
# of TonY's is: who sends a signal to the group sends it to the program alone, and the exit code is the program's.
#
# The program's environment comes on standard input: NAME=VALUE, each ended by a NUL, and an empty one at the end. (A
# JVM would write it in the node's locale, and what that does not know as question marks.) That of a task comes when
# its gang is there, however long that takes. It is passed on and never taken by this shell, to which UID, SECONDS or
# TMOUT mean something. Every process of the program carries the variable $2 (NAME=VALUE) as well. With $3 the program
# reads what follows on standard input.
variables=()
while true; do
  IFS= TMOUT=0 read -r -d '' variable || exit 1
  [[ -n $variable ]] || break
  variables+=("$variable")
done
[[ -n $3 ]] || exec </dev/null
exec env "${variables[@]}" "$2" "$BASH" "$1"
