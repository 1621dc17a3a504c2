# Expectations of the tests that are scripts.
# shellcheck shell=bash disable=SC2154  # the script sets 'scratch', a folder

failures=0

# Says whether the command succeeds, under the name that comes first.
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

# Succeeds if the command ends with the exit code that comes first.
ends_with() {
    local wanted=$1 code=0
    shift
    "$@" || code=$?
    [ "$code" = "$wanted" ] || { echo "exit code $code instead of $wanted" && return 1; }
}

# Succeeds if the file has a line that the pattern matches.
has_line() { grep -qE -- "$2" "$1" || { echo "no line of $1 matches $2:" && cat "$1" && return 1; }; }

has_no_line() { ! grep -E -- "$2" "$1" || { echo "in $1" && return 1; }; }

are_equal() { [ "$1" = "$2" ] || { echo "'$1' and '$2' are not equal" && return 1; }; }

# Ends the script with what came of all expectations.
conclude() {
    [ "$failures" = 0 ] || fail "$failures expectations failed"
    say "all expectations hold"
}
