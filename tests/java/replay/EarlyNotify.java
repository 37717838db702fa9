/** A notification that may come before the wait for it. */
public class EarlyNotify {
    static final Object told = new Object();

    public static void main(String[] args) throws InterruptedException {
        Thread listener = new Thread(() -> {
            synchronized (told) {
                try {
                    told.wait();
                } catch (InterruptedException e) {
                    System.out.println("interrupted");
                }
            }
        });
        listener.start();
        Thread.sleep(500);
        synchronized (told) {
            told.notify();
        }
        listener.join();
    }
}
