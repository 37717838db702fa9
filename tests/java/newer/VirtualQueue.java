import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/** More virtual threads than processors, which wait, sleep and lose an update. */
public class VirtualQueue {
    private static int sum;

    public static void main(String[] args) throws InterruptedException {
        BlockingQueue<Integer> queue = new ArrayBlockingQueue<>(1);
        Thread producer = Thread.startVirtualThread(() -> {
            try {
                for (int i = 0; i < 3; i++) {
                    queue.put(i);
                    Thread.sleep(1);
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        Thread consumer = Thread.startVirtualThread(() -> {
            try {
                for (int i = 0; i < 3; i++) {
                    sum += queue.take();
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        Thread other = Thread.startVirtualThread(() -> sum++);
        producer.join();
        consumer.join();
        other.join();
        System.out.println(sum);
    }
}
