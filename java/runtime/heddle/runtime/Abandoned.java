package heddle.runtime;

/** Ends a thread whose run is over before the thread is. */
final class Abandoned extends Error {
    private static final long serialVersionUID = 1;

    Abandoned() {
        super("heddle: the run of this thread is over", null, false, false);
    }
}
