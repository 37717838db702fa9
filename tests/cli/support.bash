# What the files of this folder share: `load support`.

# For what takes long.
only_long() {
    [ -n "${HEDDLE_TEST_LONG:-}" ] || skip "only with make test-long"
}

# Whether this is the build under the sanitizers.
sanitized() {
    case $HEDDLE in */sanitized/heddle | */build-san/heddle) ;; *) false ;; esac
}

# For what a sanitized build cannot tell us more about.
once() {
    ! sanitized || skip "the normal build runs it"
}

# Whether the Valgrind tool was built and can be run.
has_valgrind() {
    [ -x "$(dirname "$HEDDLE")/runtime/valgrind/heddle-amd64-linux" ] && command -v valgrind >/dev/null
}

needs_valgrind() {
    has_valgrind || skip "heddle was built without Valgrind"
}

# Whether the agent was built and programs for it can be.
has_java() {
    command -v javac >/dev/null && [ -e "$(dirname "$HEDDLE")/runtime/libheddle-java.so" ]
}

# The compiler runs for so short a time that it is better not compiled itself.
javac() {
    command javac -J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC "$@"
}

needs_java() {
    has_java || skip "no JDK 17 or later: Java programs cannot be recorded"
}

# newer_jdks: where the programs of each JDK 21 or later are, below /usr/lib/jvm or the folder that JDKS names
newer_jdks() {
    realpath -eq "${JDKS:-/usr/lib/jvm}"/*2[1-9]*/bin/javac | sort -u | xargs -r dirname
}

# events FILE: how many it holds
events() {
    "$HEDDLE" info "$1" | sed -n 's/^events *//p'
}
