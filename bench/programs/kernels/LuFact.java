import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;

/** Gaussian elimination with pivots: threads meet at a barrier after each column, and share the pivot's column. */
public final class LuFact {
    private final double[][] columns;
    private final int[] pivots;
    private final int size;

    private LuFact(int size) {
        this.size = size;
        columns = new double[size][size];
        pivots = new int[size];
        int seed = 1325;
        for (double[] column : columns) {
            for (int i = 0; i < size; i++) {
                seed = 3125 * seed % 65536;
                column[i] = (seed - 32768) / 16384.0;
            }
        }
    }

    private void eliminate(int thread, int threads, CyclicBarrier barrier) {
        try {
            for (int k = 0; k < size - 1; k++) {
                if (k % threads == thread) {
                    choosePivot(k);
                }
                barrier.await();
                double[] pivot = columns[k];
                int row = pivots[k];
                for (int j = k + 1; j < size; j++) {
                    if (j % threads == thread) {
                        subtract(columns[j], pivot, row, k);
                    }
                }
                barrier.await();
            }
        } catch (InterruptedException | BrokenBarrierException e) {
            throw new IllegalStateException(e);
        }
    }

    private void choosePivot(int k) {
        double[] column = columns[k];
        int best = k;
        for (int i = k + 1; i < size; i++) {
            if (Math.abs(column[i]) > Math.abs(column[best])) {
                best = i;
            }
        }
        pivots[k] = best;
        double top = column[best];
        column[best] = column[k];
        column[k] = top;
        for (int i = k + 1; i < size; i++) {
            column[i] /= -top;
        }
    }

    private void subtract(double[] column, double[] pivot, int row, int k) {
        double top = column[row];
        column[row] = column[k];
        column[k] = top;
        for (int i = k + 1; i < size; i++) {
            column[i] += top * pivot[i];
        }
    }

    /** SIZE THREADS */
    public static void main(String[] args) throws InterruptedException {
        int threads = Integer.parseInt(args[1]);
        LuFact matrix = new LuFact(Integer.parseInt(args[0]));
        CyclicBarrier barrier = new CyclicBarrier(threads);
        Thread[] workers = new Thread[threads];
        for (int t = 0; t < threads; t++) {
            int number = t;
            workers[t] = new Thread(() -> matrix.eliminate(number, threads, barrier));
            workers[t].start();
        }
        for (Thread worker : workers) {
            worker.join();
        }
        System.out.println(matrix.columns[matrix.size - 1][matrix.size - 1] != 0);
    }
}
