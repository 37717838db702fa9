/** Two counters under a lock: one is printed, nobody looks at the other one again. */
public class Counters {
    private static int hits;
    private static int shown;

    private static synchronized void work() {
        hits++;
        shown++;
    }

    public static void main(String[] args) throws InterruptedException {
        Thread[] threads = new Thread[2];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                work();
                work();
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("shown " + shown);
    }
}
