// expect: race=no deadlock=yes
/** Everybody takes the left fork first. They eat one after the other here; they need not. */
public class Philosophers {
    private static final int COUNT = 3;
    private static int meals;

    public static void main(String[] args) throws InterruptedException {
        Object[] forks = new Object[COUNT];
        for (int i = 0; i < COUNT; i++) {
            forks[i] = new Object();
        }
        Thread[] philosophers = new Thread[COUNT];
        for (int i = 0; i < COUNT; i++) {
            Object left = forks[i];
            Object right = forks[(i + 1) % COUNT];
            int pause = i * 400;
            philosophers[i] = new Thread(() -> {
                sleep(pause);
                synchronized (left) {
                    synchronized (right) {
                        eat();
                    }
                }
            });
            philosophers[i].start();
        }
        for (Thread philosopher : philosophers) {
            philosopher.join();
        }
        System.out.println(meals);
    }

    private static synchronized void eat() {
        meals++;
    }

    private static void sleep(int milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
