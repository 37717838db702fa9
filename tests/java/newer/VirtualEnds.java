import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/** Virtual threads that deadlock, wait for a notify that does not come, or go on after a long sleep. */
public class VirtualEnds {
    private static final Object left = new Object(), right = new Object();
    private static int value;

    private static void take(Object first, Object second, CountDownLatch both) {
        synchronized (first) {
            both.countDown();
            try {
                both.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            synchronized (second) {
                value++;
            }
        }
    }

    private static void waits() {
        synchronized (left) {
            value++;
            try {
                left.wait();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static void sleeps() {
        LockSupport.parkNanos(6_000_000_000L);
        synchronized (left) {
            value++;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        CountDownLatch both = new CountDownLatch(2);
        Runnable one = switch (args[0]) {
            case "deadlock" -> () -> take(left, right, both);
            case "wait" -> VirtualEnds::waits;
            default -> VirtualEnds::sleeps;
        };
        Thread first = Thread.startVirtualThread(one);
        Thread second = Thread.startVirtualThread(() -> {
            if (args[0].equals("deadlock")) {
                take(right, left, both);
            } else {
                synchronized (left) {
                    value++;
                }
            }
        });
        first.join();
        second.join();
        System.out.println("over");
    }
}
