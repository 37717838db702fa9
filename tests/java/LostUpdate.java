// expect: race=no nondet=yes atomicity=yes deadlock=no
import heddle.Atomic;

/** Each access has the lock, the update as a whole has not. */
public class LostUpdate {
    private int count;

    private synchronized int get() {
        return count;
    }

    private synchronized void set(int value) {
        count = value;
    }

    @Atomic
    void increment() {
        set(get() + 1);
    }

    public static void main(String[] args) throws InterruptedException {
        LostUpdate counter = new LostUpdate();
        Thread other = new Thread(() -> {
            try {
                Thread.sleep(400); // later in this run, but nothing says so
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            counter.set(5);
        });
        other.start();
        counter.increment();
        other.join();
        System.out.println(counter.get() > 0);
    }
}
