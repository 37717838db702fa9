/** Two threads take two monitors in opposite order, and both have one when they ask for the other. */
public class Obs {
    public static void main(String[] arguments) throws Exception {
        Object p = new Object(), q = new Object();
        Thread other = new Thread(() -> {
            synchronized (p) {
                pause();
                synchronized (q) {
                }
            }
        });
        other.start();
        synchronized (q) {
            pause();
            synchronized (p) {
            }
        }
    }

    private static void pause() {
        try {
            Thread.sleep(300);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
