# bash completion for waymark-build and waymark-run. The programs themselves say what they offer: nothing here grows old.

# The commands that PROGRAM has.
_waymark_commands() { "$1" --help 2>/dev/null | awk '/^commands:/ { on = 1; next } on && /^  / { print $1 }'; }

# The options of a command as its help has them, "-o --output=FILE" or "- --json" a line.
_waymark_options() {
    "$1" "$2" --help 2>/dev/null | awk '/^  -.,/ { print substr($1, 1, 2), $2; next } /^  --/ { print "-", $1 }'
}

# What the help writes for the value of option $3: FILE, none|squeeze, ...
_waymark_value_of() {
    _waymark_options "$1" "$2" |
        awk -v option="$3" '{ split($2, part, "="); if ($1 == option || part[1] == option) print part[2] }'
}

_waymark_algorithms() { "$1" list 2>/dev/null | awk '/^[a-z]/ { print $1 }'; }

# What an unknown experiment is answered with.
_waymark_experiments() {
    "$1" experiment '?' --out=/dev/null 2>&1 | sed -n 's/.*there are \([^;]*\);.*/\1/p' | tr -d ,
}

_waymark_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current"); }

# Folders, and files whose names match one of the patterns.
_waymark_files() {
    local pattern file
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(
        compgen -d -- "$current"
        for pattern; do compgen -f -X "!$pattern" -- "$current"; done |
            while read -r file; do [[ -d $file ]] || printf '%s\n' "$file"; done
    )
}

# Fills in what stands for a word of the help text.
_waymark_value() {
    case $2 in
    MAP) _waymark_files '*.map' ;;
    FILE | OUT) _waymark_files '*' ;;
    DIR)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -d -- "$current")
        ;;
    SPEC*) # the last one of a list
        local head=${current%"${current##*,}"}
        mapfile -t COMPREPLY < <(compgen -P "$head" -W "$(_waymark_algorithms "$1")" -- "${current##*,}")
        ;;
    *'|'*) _waymark_words "${2//|/ }" ;;
    esac
}

_waymark() {
    local program=$1 current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        _waymark_words "$(_waymark_commands "$program") --help --version"
        return
    fi
    # Bash makes three words of --db=FILE.
    if [[ $current == = ]]; then
        current=
    elif [[ $before == = ]]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    local value=
    [[ $before == -* ]] && value=$(_waymark_value_of "$program" "$command" "$before")
    if [[ -n $value ]]; then
        _waymark_value "$program" "$value"
    elif [[ $current == -* ]]; then
        _waymark_words "$(_waymark_options "$program" "$command" | sed 's/^[^ ]* //; s/=.*/=/')"
        [[ ${COMPREPLY[0]:-} == *= ]] && compopt -o nospace 2>/dev/null
    elif [[ $command == experiment ]]; then
        _waymark_words "$(_waymark_experiments "$program")"
    else
        _waymark_files '*.map' '*.wmdb' '*.wmb'
    fi
}

complete -F _waymark waymark-build waymark-run
