# The first that runs at a terminal that somebody has opened: gives it its size, tells its name, by which a new
# size is set later, and becomes a shell.
stty rows "$TONY_TERMINAL_ROWS" cols "$TONY_TERMINAL_COLUMNS"
tty >"$TONY_TERMINAL_FILE"
unset TONY_TERMINAL_ROWS TONY_TERMINAL_COLUMNS TONY_TERMINAL_FILE
SHELL=$(command -v bash)
export SHELL

# A NodeManager that a script has started in the background ignores SIGINT, and so does all that it starts: Ctrl-C
# would do nothing. No shell can change that back.
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
