// SCTBench: the signal may come before the wait (sync01, phase)
public class MissedSignal {
    private static int items;
    private static final Object filled = new Object();

    private static boolean isEmpty() {
        synchronized (filled) {
            return items == 0;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread consumer = new Thread(() -> {
            try {
                if (isEmpty()) {
                    synchronized (filled) {
                        filled.wait();
                    }
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        consumer.start();
        Thread.sleep(50);
        synchronized (filled) {
            items++;
            filled.notify();
        }
        consumer.join();
    }
}
