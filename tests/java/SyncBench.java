// expect: race=no nondet=yes deadlock=no
/** Threads count in a synchronized method, and in a synchronized block around a loop. Threads and rounds may be given. */
public class SyncBench {
    private final Object block = new Object();
    private int byMethod, byBlock;

    synchronized void step() {
        byMethod++;
    }

    private void count(int rounds) {
        for (int i = 0; i < rounds; i++) {
            step();
        }
        synchronized (block) {
            for (int i = 0; i < rounds; i++) {
                byBlock++;
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread[] threads = new Thread[args.length > 0 ? Integer.parseInt(args[0]) : 4];
        int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 4;
        SyncBench bench = new SyncBench();
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> bench.count(rounds));
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(bench.byMethod == bench.byBlock && bench.byMethod == threads.length * rounds);
    }
}
