# Assertions for test scripts.
# shellcheck shell=bash disable=SC2154  # the script sets 'scratch', a folder

failures=0

# Reports whether a command succeeds. Arguments: a name, then the command.
expect() {
    local name=$1
    shift
    if "$@" >"$scratch/expect.log" 2>&1; then
        printf 'ok      %s\n' "$name"
    else
        printf 'FAILED  %s\n' "$name"
        sed 's/^/        /' "$scratch/expect.log" | head -n 20
        failures=$((failures + 1))
    fi
}

# Succeeds if a command ends with an exit code. Arguments: the exit code, then the command.
ends_with() {
    local wanted=$1 code=0
    shift
    "$@" || code=$?
    [ "$code" = "$wanted" ] || { echo "exit code $code instead of $wanted" && return 1; }
}

# Succeeds if a line of the file matches the pattern.
has_line() { grep -qE -- "$2" "$1" || { echo "no line of $1 matches $2:" && cat "$1" && return 1; }; }

has_no_line() { ! grep -E -- "$2" "$1" || { echo "in $1" && return 1; }; }

are_equal() { [ "$1" = "$2" ] || { echo "'$1' and '$2' are not equal" && return 1; }; }

# Ends the script, and fails if an assertion has failed.
conclude() {
    [ "$failures" = 0 ] || fail "$failures expectations failed"
    say "all expectations hold"
}
