// expect: race=yes nondet=yes deadlock=no
/**
 * A tournament barrier: who loses a game says so in an array and waits for the champion. The array is volatile, its
 * elements are not: they race, and so does all they are meant to keep apart. Workers, a power of two, and phases may be given.
 */
public class BarrierTournament {
    private final int workers;
    private volatile int[] done;
    private volatile int[] released;
    private final long[] cells;

    BarrierTournament(int workers) {
        this.workers = workers;
        done = new int[workers];
        released = new int[workers];
        cells = new long[workers];
    }

    private static void await(int[] flags, int at, int phase) {
        while (flags[at] < phase) {
            Thread.yield();
        }
    }

    void meet(int self, int phase) {
        for (int stride = 1; stride < workers; stride *= 2) {
            if (self % (2 * stride) != 0) {
                done[self] = phase;
                await(released, self, phase);
                break;
            }
            await(done, self + stride, phase);
        }
        for (int stride = 1; stride < workers && self % (2 * stride) == 0; stride *= 2) {
            released[self + stride] = phase;
        }
    }

    private void work(int self, int phases) {
        for (int i = 0; i < phases; i++) {
            long next = cells[self] + cells[(self + 1) % workers];
            meet(self, 2 * i + 1);
            cells[self] = next;
            meet(self, 2 * i + 2);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int phases = args.length > 1 ? Integer.parseInt(args[1]) : 2;
        BarrierTournament bench = new BarrierTournament(args.length > 0 ? Integer.parseInt(args[0]) : 4);
        Thread[] threads = new Thread[bench.workers];
        for (int i = 0; i < threads.length; i++) {
            int self = i;
            bench.cells[i] = i;
            threads[i] = new Thread(() -> bench.work(self, phases));
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(bench.cells[0]);
    }
}
