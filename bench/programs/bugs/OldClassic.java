// JPF: two tasks wait for each other's events, and count them outside of the monitor
/** An event that is signalled between the comparison and the wait is missed. */
public class OldClassic {
    static final class Event {
        private int count;

        synchronized int count() {
            return count;
        }

        synchronized void await() throws InterruptedException {
            wait();
        }

        synchronized void signal() {
            count++;
            notifyAll();
        }
    }

    private static void task(Event mine, Event other) {
        try {
            int seen = 0;
            for (int i = 0; i < 3; i++) {
                if (seen == mine.count()) {
                    mine.await();
                }
                seen = mine.count();
                other.signal();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Event one = new Event(), two = new Event();
        Thread first = new Thread(() -> {
            one.signal();
            task(one, two);
        });
        Thread second = new Thread(() -> task(two, one));
        first.start();
        second.start();
        first.join();
        second.join();
    }
}
