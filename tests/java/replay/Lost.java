/** Each access has the lock, the update as a whole has not; the second thread sleeps, so the recorded run loses nothing. */
public class Lost {
    private int count;

    private synchronized int get() {
        return count;
    }

    private synchronized void set(int value) {
        count = value;
    }

    void add(int amount) {
        set(get() + amount);
    }

    public static void main(String[] args) throws InterruptedException {
        Lost lost = new Lost();
        Thread other = new Thread(() -> {
            try {
                Thread.sleep(200);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            lost.add(10);
        });
        other.start();
        lost.add(1);
        other.join();
        System.out.println(lost.get());
    }
}
