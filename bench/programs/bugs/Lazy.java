// SCTBench: three threads under one lock, a result that only one order gives
public class Lazy {
    private static int data;

    private static synchronized void add(int amount) {
        data += amount;
    }

    private static synchronized void judge() {
        if (data >= 3) {
            throw new IllegalStateException("both were faster");
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread[] threads = {new Thread(() -> add(1)), new Thread(() -> add(2)), new Thread(Lazy::judge)};
        threads[2].start();
        threads[0].start();
        threads[1].start();
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
