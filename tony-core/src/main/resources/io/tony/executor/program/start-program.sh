# Becomes the shell that runs the file $1, at the head of a session and a process group of its own in which nothing
# of TonY's is: who sends a signal to the group sends it to the program alone, and the exit code is the program's.
#
# The program's environment comes on standard input: NAME=VALUE, each ended by a NUL, and an empty one at the end. (A
# JVM would write it in the node's locale, and what that does not know as question marks.) That of a task comes when
# its gang is there, however long that takes. Every process of the program carries the variable $2 (NAME=VALUE) as
# well. With $3 the program reads what follows on standard input.
#
# Everybody on the node can read a command line: only what means something to this shell is passed on by one, behind
# $3, and never taken. No secret has such a name. REPLY is the script's only variable.
while true; do
  IFS= TMOUT=0 read -r -d '' || exit 1
  [[ -n $REPLY ]] || break
  case ${REPLY%%=*} in
    '' | [0-9]* | *[!A-Za-z0-9_]* | _ | REPLY) set -- "$@" "$REPLY" ;;
    BASH | BASHOPTS | BASHPID | BASH_* | POSIXLY_CORRECT | SHELLOPTS) set -- "$@" "$REPLY" ;;
    EUID | GROUPS | OLDPWD | PPID | PWD | SHLVL | UID) set -- "$@" "$REPLY" ;;
    EPOCHREALTIME | EPOCHSECONDS | LINENO | RANDOM | SECONDS | SRANDOM) set -- "$@" "$REPLY" ;;
    COMP_WORDBREAKS | DIRSTACK | FUNCNAME | HISTCMD | OPTERR | OPTIND | PIPESTATUS) set -- "$@" "$REPLY" ;;
    EXECIGNORE | GLOBIGNORE | HISTFILESIZE | HISTSIZE | IFS | PATH | TMOUT) set -- "$@" "$REPLY" ;;
    LANG | LC_ALL | LC_COLLATE | LC_CTYPE | LC_MESSAGES | LC_NUMERIC | LC_TIME) set -- "$@" "$REPLY" ;;
    LD_LIBRARY_PATH | LD_PRELOAD) set -- "$@" "$REPLY" ;;
    *) export "$REPLY" ;;
  esac
done
export "$2"
[[ -n $3 ]] || exec </dev/null
exec env "${@:4}" "$BASH" "$1"
