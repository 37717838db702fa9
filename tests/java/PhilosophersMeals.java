// expect: race=no deadlock=yes stale=no
/** Philosophers who count their meals between the first fork and the second. */
public class PhilosophersMeals {
    private static final int MOST = 3;
    private static final Object[] forks = new Object[MOST];
    private static final Object count = new Object();
    private static int meals;

    private static void eat(int seat) {
        try {
            Thread.sleep(150L * seat);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        synchronized (forks[seat]) {
            synchronized (count) {
                meals++;
            }
            synchronized (forks[(seat + 1) % MOST]) {
                count.hashCode();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread[] threads = new Thread[MOST];
        for (int i = 0; i < MOST; i++) {
            forks[i] = new Object();
        }
        for (int i = 0; i < MOST; i++) {
            int seat = i;
            threads[i] = new Thread(() -> eat(seat));
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(meals);
    }
}
