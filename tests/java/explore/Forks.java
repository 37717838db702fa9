import java.util.concurrent.locks.ReentrantLock;

/** Philosophers: each takes the fork to the left, then the one to the right. By monitors, or locks of the JDK. */
public class Forks {
    private static int meals;

    private static void eat() {
        meals++;
    }

    private static void dine(Object left, Object right) {
        synchronized (left) {
            synchronized (right) {
                eat();
            }
        }
    }

    private static void dine(ReentrantLock left, ReentrantLock right) {
        left.lock();
        try {
            right.lock();
            try {
                eat();
            } finally {
                right.unlock();
            }
        } finally {
            left.unlock();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int count = Integer.parseInt(args[1]);
        Object[] forks = new Object[count];
        ReentrantLock[] locks = new ReentrantLock[count];
        Thread[] threads = new Thread[count];
        for (int i = 0; i < count; i++) {
            forks[i] = new Object();
            locks[i] = new ReentrantLock();
        }
        for (int i = 0; i < count; i++) {
            int left = i, right = (i + 1) % count;
            threads[i] = args[0].equals("monitors") ? new Thread(() -> dine(forks[left], forks[right]))
                : new Thread(() -> dine(locks[left], locks[right]));
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("all have eaten");
    }
}
