# The first that runs at a terminal that somebody has opened: gives it its size, tells its name, by which a new
# size is set later, and becomes a shell.
stty rows "$TONY_TERMINAL_ROWS" cols "$TONY_TERMINAL_COLUMNS"
tty >"$TONY_TERMINAL_FILE"
unset TONY_TERMINAL_ROWS TONY_TERMINAL_COLUMNS TONY_TERMINAL_FILE
SHELL=$(command -v bash)
export SHELL
exec bash
