# Rows of the papers' tables, for the scripts that print them: `build` is where heddle is.

heading_a1() {
    echo "FMCAD'12, Table A1. Percentages of the possible witnesses; choice graphs for each witness that has choices."
    line_a1 program whose thrd events possible cycle% "no choice%" choice% possible explored seconds graphs
}

line_a1() {
    printf '%-12s %-9s %4s %7s %9s %8s %10s %8s %10s %9s %10s %8s\n' "$@"
}

heading_t1() {
    echo "CAV'10, Table 1: races, then atomicity violations; outermost lock scopes are meant to be atomic, too."
    line_t1 program whose thrd events total lsa mhb ucg wits seconds total lsa mhb ucg wits seconds
}

line_t1() {
    printf '%-14s %-9s %4s %6s | %6s %6s %6s %6s %6s %7s | %6s %6s %6s %6s %6s %7s\n' "$@"
}

row() { # METHOD OPTION TITLE TRACE: the last line of --stats, its columns separated by |
    "$build/heddle" check --method="$1" --stats "$2" "$4" | grep -A1 "$3" | tail -n 1 || true
}

row_a1() { # WHOSE TRACE
    row graph --all "Table A1" "$2" | sed 's/[(),]//g; s/[a-z-]*: //g' | awk -F ' *[|] *' -v whose="$1" '{
        split($1, t, " "); split($3, c, " "); split($4, n, " "); split($5, w, " ")
        printf "%-12s %-9s %4s %7s %9s %8s %10s %8s %10s %9s %10s %8s\n", "", whose, t[1], t[2], $2, c[2], n[2], w[2], $6,
               $7, $8, $11}'
}

row_t1() { # WHOSE TRACE
    row ucg --atomic=locks "Table 1" "$2" | awk -F ' *[|] *' -v whose="$1" '{
        printf "%-14s %-9s %4s %6s | %6s %6s %6s %6s %6s %7s | %6s %6s %6s %6s %6s %7s\n", "", whose, $1, $2, $7, $8, $9,
               $10, $11, $12, $13, $14, $15, $16, $17, $18}'
}
