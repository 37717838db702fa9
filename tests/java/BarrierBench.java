// expect: race=no nondet=yes deadlock=no
/**
 * Workers compute in phases, kept apart by a barrier made of a monitor. The result is always the same; who arrives first
 * is not. Workers and phases may be given.
 */
public class BarrierBench {
    private final int workers;
    private final long[] cells;
    private int arrived, generation;

    BarrierBench(int workers) {
        this.workers = workers;
        cells = new long[workers];
    }

    synchronized void meet() throws InterruptedException {
        int mine = generation;
        arrived++;
        if (arrived == workers) {
            arrived = 0;
            generation++;
            notifyAll();
            return;
        }
        while (generation == mine) {
            wait();
        }
    }

    private void work(int self, int phases) {
        try {
            for (int i = 0; i < phases; i++) {
                long next = cells[self] + cells[(self + 1) % workers];
                meet();
                cells[self] = next;
                meet();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int phases = args.length > 1 ? Integer.parseInt(args[1]) : 3;
        BarrierBench bench = new BarrierBench(args.length > 0 ? Integer.parseInt(args[0]) : 4);
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
