# Takes the program's environment from file descriptor 3: NAME=VALUE, each ended by a NUL, and an empty one at the end.
# (A JVM would write it in the node's locale, and what that does not know as question marks.) That of a task comes when
# its gang is there, however long that takes. TMOUT, by which a shell loses its patience, is for the program.
while true; do
  IFS= TMOUT=0 read -r -d '' -u 3 TONY_EXECUTOR_VARIABLE || exit 1
  [[ -n $TONY_EXECUTOR_VARIABLE ]] || break
  export "$TONY_EXECUTOR_VARIABLE"
done
unset TONY_EXECUTOR_VARIABLE
