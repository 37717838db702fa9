/** As Lost, but all that it prints is the number of its process. */
public class Numbered {
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
        Numbered lost = new Numbered();
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
        lost.get();
        System.out.println("process " + ProcessHandle.current().pid());
    }
}
