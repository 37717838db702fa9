// expect: race=no deadlock=no unordered=no
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Exchanger;
import java.util.concurrent.Phaser;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

/** Plain data handed from thread to thread by what java.util.concurrent has for that. */
public class Handovers {
    static final class Box {
        int content;

        Box(int content) {
            this.content = content;
        }
    }

    private static int latched, counted, parked;
    private static volatile boolean unparked;
    private static final int[] cells = new int[2];

    public static void main(String[] args) throws Exception {
        BlockingQueue<Box> queue = new ArrayBlockingQueue<>(1);
        ConcurrentLinkedQueue<Box> free = new ConcurrentLinkedQueue<>();
        ConcurrentHashMap<String, Box> map = new ConcurrentHashMap<>();
        CountDownLatch latch = new CountDownLatch(1);
        Semaphore semaphore = new Semaphore(0);
        CyclicBarrier barrier = new CyclicBarrier(2);
        Phaser phaser = new Phaser(2), root = new Phaser(1), inner = new Phaser(root, 1);
        Exchanger<Box> exchanger = new Exchanger<>();
        Thread other = new Thread(() -> {
            try {
                for (int i = 0; i < 3; i++) {
                    queue.take().content++;
                }
                Box box;
                while ((box = free.poll()) == null) {
                    Thread.onSpinWait();
                }
                box.content++;
                while ((box = map.get("key")) == null) {
                    Thread.onSpinWait();
                }
                box.content++;
                latch.await();
                latched++;
                semaphore.acquire();
                counted++;
                for (int round = 0; round < 3; round++) {
                    cells[0] = round;
                    barrier.await();
                    int seen = cells[1];
                    barrier.await();
                    cells[0] = seen;
                    phaser.arriveAndAwaitAdvance();
                }
                exchanger.exchange(new Box(1)).content++;
                while (!unparked) {
                    LockSupport.park();
                }
                parked++;
                inner.arriveAndDeregister(); // which tells its parent
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        other.start();
        for (int i = 0; i < 3; i++) {
            queue.put(new Box(i));
        }
        free.add(new Box(1));
        map.put("key", new Box(2));
        latched = 1;
        latch.countDown();
        counted = 1;
        semaphore.release();
        for (int round = 0; round < 3; round++) {
            cells[1] = round;
            barrier.await();
            int seen = cells[0];
            barrier.await();
            cells[1] = seen;
            phaser.arriveAndAwaitAdvance();
        }
        exchanger.exchange(new Box(2)).content++;
        parked = 1;
        unparked = true;
        LockSupport.unpark(other);
        root.awaitAdvance(root.arrive());
        parked++;
        other.join();
        Box made = new Box(0);
        int got = CompletableFuture.supplyAsync(() -> {
            made.content = 4;
            return made;
        }).thenApply(box -> box.content + latched).get();
        System.out.println(got + made.content + counted + parked);
    }
}
