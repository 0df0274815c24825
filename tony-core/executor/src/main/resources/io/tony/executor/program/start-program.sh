# Becomes the shell that runs the file $1. It leads its own session and process group, which contain no process of
# TonY: a signal to the group reaches only the program, and the exit code is the program's.
#
# The program's environment comes on standard input: NAME=VALUE pairs, each ended by a NUL, and an empty string at the
# end. (A JVM would encode the variables in the node's locale, and replace other characters by question marks.) A
# task's environment comes when its gang is complete, however long that takes. The variable $2 (NAME=VALUE) is added;
# every process of the program has it. If $3 is set, the program reads the rest of standard input.
#
# Every user of the node can read a command line. So only variables that have a meaning for this shell are passed by
# one, as arguments after $3, and are not set in this shell; no secret has such a name. REPLY is the script's only
# variable.
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
