// expect: race=no deadlock=no unordered=no
/** Waits that an exception ends, synchronized methods that an exception leaves. */
public class Interrupted {
    private int count;

    synchronized void hold() throws InterruptedException {
        count++;
        synchronized (this) {
            wait(10_000);
        }
    }

    synchronized void fail() {
        count++;
        throw new IllegalStateException("meant");
    }

    synchronized int count() {
        return count;
    }

    public static void main(String[] args) throws InterruptedException {
        Interrupted object = new Interrupted();
        Thread waiter = new Thread(() -> {
            try {
                object.hold();
            } catch (InterruptedException e) {
                object.count();
            }
        });
        waiter.start();
        while (object.count() == 0) {
            Thread.yield();
        }
        waiter.interrupt();
        for (int i = 0; i < 3; i++) {
            try {
                object.fail();
            } catch (IllegalStateException e) {
                object.count();
            }
        }
        waiter.join();
        System.out.println(object.count);
    }
}
