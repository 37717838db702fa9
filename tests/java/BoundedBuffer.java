// expect: race=no deadlock=no
/** Producer and consumer over a ring, with wait and notifyAll. */
public class BoundedBuffer {
    private final int[] slots = new int[2];
    private int head, count;

    synchronized void put(int value) throws InterruptedException {
        while (count == slots.length) {
            wait();
        }
        slots[(head + count) % slots.length] = value;
        count++;
        notifyAll();
    }

    synchronized int take() throws InterruptedException {
        while (count == 0) {
            wait();
        }
        int value = slots[head];
        head = (head + 1) % slots.length;
        count--;
        notifyAll();
        return value;
    }

    public static void main(String[] args) throws InterruptedException {
        BoundedBuffer buffer = new BoundedBuffer();
        Thread producer = new Thread(() -> {
            try {
                for (int i = 0; i < 6; i++) {
                    buffer.put(i);
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        producer.start();
        int sum = 0;
        for (int i = 0; i < 6; i++) {
            sum += buffer.take();
        }
        producer.join();
        System.out.println(sum);
    }
}
