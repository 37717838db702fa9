package heddle.runtime;

/** What a run sees of the world: a clock of its own, and random numbers that come out the same again. */
final class Surroundings {
    private static final long TICK_NANOS = 100, START_NANOS = 1_000_000_000L;

    long clock = START_NANOS;
    private long drawn;

    Surroundings(long seed) {
        drawn = seed;
    }

    long now() {
        return clock += TICK_NANOS;
    }

    /** Time passes for who sleeps, at least. */
    void sleeps(long millis) {
        clock += java.util.concurrent.TimeUnit.MILLISECONDS.toNanos(Math.min(millis, 1L << 40));
    }

    long random() {
        drawn += 0x9e3779b97f4a7c15L;
        long z = (drawn ^ drawn >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return z ^ z >>> 31;
    }
}
