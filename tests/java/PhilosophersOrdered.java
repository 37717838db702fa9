// expect: race=no deadlock=no
/** The last philosopher takes the right fork first: no cycle. */
public class PhilosophersOrdered {
    public static void main(String[] args) throws InterruptedException {
        Object[] forks = {new Object(), new Object(), new Object()};
        Thread[] philosophers = new Thread[3];
        for (int i = 0; i < 3; i++) {
            Object first = forks[Math.min(i, (i + 1) % 3)];
            Object second = forks[Math.max(i, (i + 1) % 3)];
            philosophers[i] = new Thread(() -> {
                synchronized (first) {
                    synchronized (second) {
                        Thread.yield();
                    }
                }
            });
            philosophers[i].start();
        }
        for (Thread philosopher : philosophers) {
            philosopher.join();
        }
    }
}
