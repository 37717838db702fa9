// SCTBench: a driver is stopped while a request that has looked at the flag goes on
/** A request counts itself after it has asked whether the driver stops. */
public class Bluetooth {
    private static int pending = 1;
    private static boolean stopping, stopped;

    private static synchronized boolean mayEnter() {
        return !stopping;
    }

    private static synchronized void enter() {
        pending++;
    }

    private static synchronized void leave() {
        stopped |= --pending == 0;
    }

    private static synchronized void use() {
        if (stopped) {
            throw new IllegalStateException("used after it was stopped");
        }
    }

    private static synchronized void stop() {
        stopping = true;
    }

    public static void main(String[] args) throws InterruptedException {
        Thread request = new Thread(() -> {
            if (mayEnter()) {
                enter();
                use();
                leave();
            }
        });
        request.start();
        stop();
        leave();
        request.join();
    }
}
