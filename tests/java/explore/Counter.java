/** Increments with a lock: THREADS TIMES. */
public class Counter {
    private int count;

    private synchronized void increment() {
        count++;
    }

    public static void main(String[] args) throws InterruptedException {
        Counter counter = new Counter();
        Thread[] threads = new Thread[Integer.parseInt(args[0])];
        int times = Integer.parseInt(args[1]);
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                for (int k = 0; k < times; k++) {
                    counter.increment();
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(counter.count);
    }
}
