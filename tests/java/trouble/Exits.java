import java.util.function.IntUnaryOperator;

/** Every way out of a synchronized method and block, copies of arrays, classes within classes: the same in each run. */
public class Exits {
    enum Way { RETURN, THROW, INNER, NULL, INDEX, STORE, DIVIDE }

    interface Limits {
        int[] BOUNDS = {1, 2, 3};
    }

    private static final long[] tallies = new long[Way.values().length];
    private static int deep;
    private final Object[] things = new String[2];
    private final int[][] grid = new int[3][4];
    private int entered, left;

    final class Inner {
        private final int own = entered++;

        int sum() {
            return own + left + grid[own % 3][own % 4];
        }
    }

    synchronized int leave(Way way) {
        entered++;
        switch (way) {
        case RETURN:
            return entered;
        case THROW:
            throw new IllegalStateException();
        case INNER:
            synchronized (grid) {
                left++;
                synchronized (this) {
                    throw new IllegalArgumentException();
                }
            }
        case NULL:
            return ((Exits) nothing()).left;
        case INDEX:
            return grid[entered][-1];
        case STORE:
            things[0] = this;
            break;
        default:
            left /= left - left;
        }
        return 0;
    }

    private static Object nothing() {
        return null;
    }

    static synchronized int recurse(int depth) {
        deep++;
        if (depth == 0) {
            throw new UnsupportedOperationException();
        }
        try {
            return recurse(depth - 1);
        } finally {
            deep++;
        }
    }

    private void block(int i) {
        for (int turn = 0; turn < 4; turn++) {
            synchronized (things) {
                if (turn == i) {
                    continue;
                }
                if (turn == 3) {
                    break;
                }
                left += turn;
            }
        }
    }

    private void copies() {
        int[] numbers = {1, 2, 3, 4, 5};
        System.arraycopy(numbers, 0, numbers, 1, 4);
        System.arraycopy(numbers, 2, grid[0], 0, 3);
        System.arraycopy(new String[] {"a", "b"}, 0, things, 0, 2);
        System.arraycopy(numbers, 0, numbers, 0, 0);
        try {
            System.arraycopy(numbers, 3, numbers, 0, 3);
        } catch (IndexOutOfBoundsException e) {
            left++;
        }
        int[] copy = numbers.clone();
        copy[0] += numbers[4];
        long[][][] cube = new long[2][2][];
        cube[1][0] = tallies;
        cube[1][0][0] += copy[0];
    }

    private void work() {
        for (Way way : Way.values()) {
            try {
                tallies[way.ordinal()] += leave(way);
            } catch (RuntimeException e) {
                tallies[way.ordinal()]--;
            }
        }
        try {
            recurse(3);
        } catch (UnsupportedOperationException e) {
            left++;
        }
        for (int i = 0; i < 4; i++) {
            block(i);
        }
        copies();
        IntUnaryOperator adds = x -> x + Limits.BOUNDS[x % 3] + new Inner().sum();
        left += adds.applyAsInt(2);
    }

    public static void main(String[] args) throws InterruptedException {
        Exits exits = new Exits();
        Thread other = new Thread(exits::work);
        other.start();
        other.join();
        exits.work();
        System.out.println(exits.left + deep);
    }
}
