/** Increments without a lock: some are lost. */
public class Increment {
    private static int count;

    public static void main(String[] args) throws InterruptedException {
        Thread[] threads = new Thread[args.length > 0 ? Integer.parseInt(args[0]) : 2];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> count++);
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(count);
    }
}
