// expect: race=no deadlock=no stale=yes
/** A value read in one critical section and written on in another. */
public class GetSet {
    private int value;

    private synchronized int get() {
        return value;
    }

    private synchronized void set(int to) {
        value = to;
    }

    private void increment() {
        int seen = get();
        set(seen + 1);
    }

    public static void main(String[] args) throws InterruptedException {
        GetSet shared = new GetSet();
        Thread thread = new Thread(shared::increment), other = new Thread(shared::increment);
        thread.start();
        other.start();
        thread.join();
        other.join();
        System.out.println(shared.get() > 0);
    }
}
