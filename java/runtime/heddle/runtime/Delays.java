package heddle.runtime;

/**
 * Delays of a thread while it is recorded, drawn from a seed: threads of short programs would otherwise hardly ever meet.
 * They are frequent at first and become rare, so that long runs do not become much longer.
 */
final class Delays {
    private static final int RANDOM = 1, PCT = 2, MOST_DOUBLINGS = 14;

    private static long seed;
    private static int policy;

    private long drawn;
    private int left = 1;
    private int count;

    /** Of a thread that is kept back: how often it will be, until it is drawn again. */
    private int behind;

    private Delays(int thread) {
        drawn = (seed + 1) * 0x9e3779b97f4a7c15L + thread * 0xbf58476d1ce4e5b9L | 1;
        left = 1 + draw(8);
    }

    /** `how` is the policy (runtime/protocol/session.h) plus one; 0: there are none. */
    static void choose(long fromSeed, int how) {
        seed = fromSeed;
        policy = how;
    }

    /** Of the thread of this number; null where there are none. */
    static Delays of(int thread) {
        return policy == 0 ? null : new Delays(thread);
    }

    private int draw(int below) {
        drawn ^= drawn << 13;
        drawn ^= drawn >>> 7;
        drawn ^= drawn << 17;
        return (int) ((drawn >>> 33) % below);
    }

    /** The thread is about to make a record. */
    void pass() {
        if (--left <= 0) {
            delay();
        }
    }

    /** It starts another, which shall get a chance to come first. */
    void forked() {
        left = 1 + draw(4);
    }

    private void delay() {
        int doublings = Math.min(count++ / 8, MOST_DOUBLINGS);
        left = 1 + draw(16 << doublings);
        if (policy == PCT) {
            keepBack();
        } else if (policy != RANDOM) {
            Hooks.delay(50_000); // in turn
            left = 8 << doublings;
        } else if (draw(2) == 0) {
            Hooks.delay(draw(4) == 0 ? 1_000_000 : 20_000 + draw(200_000));
        } else {
            Thread.yield();
        }
    }

    /** Some threads come after others, until that changes. */
    private void keepBack() {
        if (behind == 0 && draw(4) == 0) {
            behind = 1 + draw(4);
        }
        if (behind > 0) {
            behind--;
            Hooks.delay(2_000_000);
        }
    }
}
