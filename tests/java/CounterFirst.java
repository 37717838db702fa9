// expect: race=no deadlock=yes stale=no
/** Two locks in opposite orders, behind a counter under a third one that decides nothing. */
public class CounterFirst {
    private static final Object one = new Object(), other = new Object(), guard = new Object();
    private static int active;

    private static void both(Object first, Object second, long later) {
        try {
            Thread.sleep(later);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        synchronized (guard) {
            active += 1;
        }
        synchronized (first) {
            synchronized (second) {
                guard.hashCode();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread thread = new Thread(() -> both(one, other, 0));
        Thread late = new Thread(() -> both(other, one, 200));
        thread.start();
        late.start();
        thread.join();
        late.join();
        System.out.println(active);
    }
}
