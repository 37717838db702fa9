/** A sparse matrix times a vector, again and again; each thread has some rows. */
public final class Sparse {
    private static final int PER_ROW = 5;

    private Sparse() {
    }

    /** ROWS THREADS ROUNDS */
    public static void main(String[] args) throws InterruptedException {
        int size = Integer.parseInt(args[0]);
        int threads = Integer.parseInt(args[1]);
        int rounds = Integer.parseInt(args[2]);
        double[] values = new double[size * PER_ROW];
        int[] rows = new int[size * PER_ROW];
        int[] columns = new int[size * PER_ROW];
        double[] x = new double[size];
        double[] y = new double[size];
        int seed = 7;
        for (int i = 0; i < values.length; i++) {
            seed = seed * 1103515245 + 12345;
            rows[i] = i / PER_ROW;
            columns[i] = (seed >>> 8) % size;
            values[i] = (seed >>> 16) * 1e-6;
        }
        for (int i = 0; i < size; i++) {
            x[i] = i * 1e-3;
        }
        Thread[] workers = new Thread[threads];
        for (int t = 0; t < threads; t++) {
            int start = values.length / PER_ROW / threads * t * PER_ROW;
            int end = t == threads - 1 ? values.length : values.length / PER_ROW / threads * (t + 1) * PER_ROW;
            workers[t] = new Thread(() -> {
                for (int round = 0; round < rounds; round++) {
                    for (int i = start; i < end; i++) {
                        y[rows[i]] += x[columns[i]] * values[i];
                    }
                }
            });
            workers[t].start();
        }
        for (Thread worker : workers) {
            worker.join();
        }
        double total = 0;
        for (int i = 0; i < size; i++) {
            total += y[i];
        }
        System.out.println(total > 0);
    }
}
