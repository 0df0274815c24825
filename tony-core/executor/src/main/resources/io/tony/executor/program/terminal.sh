# First process at a terminal that a user has opened: sets the terminal's size, writes its device name to
# TONY_TERMINAL_FILE, by which the executor resizes it later, and becomes a shell.
stty rows "$TONY_TERMINAL_ROWS" cols "$TONY_TERMINAL_COLUMNS"
tty >"$TONY_TERMINAL_FILE"
unset TONY_TERMINAL_ROWS TONY_TERMINAL_COLUMNS TONY_TERMINAL_FILE
SHELL=$(command -v bash)
export SHELL

# If a script started the NodeManager in the background, the NodeManager and all its descendants ignore SIGINT, and
# Ctrl-C would do nothing. A shell cannot reset an ignored signal, so env or Python does.
if env --default-signal=INT,QUIT true 2>/dev/null; then
  exec env --default-signal=INT,QUIT bash
elif command -v python3 >/dev/null; then
  exec python3 -c 'if True:
    import os
    from signal import SIG_DFL, SIGINT, SIGPIPE, SIGQUIT, SIGXFSZ, signal
    for each in SIGINT, SIGQUIT, SIGPIPE, SIGXFSZ:  # Python ignores the last two
        signal(each, SIG_DFL)
    os.execvp("bash", ["bash"])'
fi
exec bash
