/** What a method compares decides what its caller writes if it answers true or false, and not if it returns a number. */
public class Checks {
    private int stock = 5, waiting = 5;

    private synchronized boolean inStock() {
        return stock > 0;
    }

    private synchronized void sell() {
        stock--;
    }

    private synchronized int next() {
        if (waiting > 0) {
            return 1;
        }
        waiting = 1;
        return 0;
    }

    private synchronized void call() {
        waiting++;
    }

    private void serve() {
        if (inStock()) {
            sell();
        }
        next();
        call();
    }

    public static void main(String[] arguments) throws InterruptedException {
        Checks checks = new Checks();
        Thread first = new Thread(checks::serve), second = new Thread(checks::serve);
        first.start();
        second.start();
        first.join();
        second.join();
    }
}
