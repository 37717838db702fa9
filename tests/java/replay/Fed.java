/** As Lost, but it is told how much to add. */
public class Fed {
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

    public static void main(String[] args) throws Exception {
        Fed lost = new Fed();
        int amount = System.in.read() - '0';
        Thread other = new Thread(() -> {
            try {
                Thread.sleep(200);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            lost.add(10);
        });
        other.start();
        lost.add(amount);
        other.join();
        System.out.println(lost.get());
    }
}
