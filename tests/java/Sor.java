// expect: race=yes nondet=yes deadlock=no
/**
 * Successive over-relaxation, odd and even rows in turn. A thread waits for its neighbours by counters in an array whose
 * elements are not volatile, so counters and rows at the seams race. Size, threads, rounds may be given.
 */
public class Sor {
    private final double[][] grid;
    private final int threads, rounds;
    private volatile int[] finished;

    Sor(int size, int threads, int rounds) {
        grid = new double[size][size];
        this.threads = threads;
        this.rounds = rounds;
        finished = new int[threads];
        for (int i = 0; i < size; i++) {
            for (int j = 0; j < size; j++) {
                grid[i][j] = (i * 31 + j * 17) % 10;
            }
        }
    }

    /** When each thread has done its half round: here, by looking at the neighbours' counters. */
    void meet(int self, int halves) {
        finished[self] = halves;
        for (int other = Math.max(0, self - 1); other <= Math.min(threads - 1, self + 1); other++) {
            while (finished[other] < halves) {
                Thread.yield();
            }
        }
    }

    private void row(int i) {
        double[] above = grid[i - 1], here = grid[i], below = grid[i + 1];
        for (int j = 1; j < here.length - 1; j++) {
            here[j] += 0.3 * (above[j] + below[j] + here[j - 1] + here[j + 1] - 4 * here[j]);
        }
    }

    private void relax(int self) {
        int inner = grid.length - 2, slice = (inner + threads - 1) / threads;
        int from = 1 + self * slice, to = 1 + Math.min(inner, (self + 1) * slice);
        for (int half = 0; half < 2 * rounds; half++) {
            for (int i = from + ((from + half) & 1); i < to; i += 2) {
                row(i);
            }
            meet(self, half + 1);
        }
    }

    double run() throws InterruptedException {
        Thread[] workers = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            int self = i;
            workers[i] = new Thread(() -> relax(self));
            workers[i].start();
        }
        for (Thread worker : workers) {
            worker.join();
        }
        double sum = 0;
        for (double[] row : grid) {
            for (double value : row) {
                sum += value;
            }
        }
        return sum;
    }

    public static void main(String[] args) throws InterruptedException {
        int size = args.length > 0 ? Integer.parseInt(args[0]) : 8;
        int threads = args.length > 1 ? Integer.parseInt(args[1]) : 2;
        System.out.println(new Sor(size, threads, args.length > 2 ? Integer.parseInt(args[2]) : 2).run());
    }
}
