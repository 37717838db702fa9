import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.TimeUnit;

/** Threads that meet at a barrier, in ways that do or do not order what they do: which one is the argument. Each touches memory of
 * its own first, so often as the second argument says. */
public class Rendezvous {
    private static final int SIZE = 64, ROUNDS = 20;

    private final double[][] parts = new double[2][SIZE];
    private final Box[] boxes = {new Box(), new Box()};
    private final CyclicBarrier barrier = new CyclicBarrier(2);

    private static final class Box {
        int value;
    }

    private interface Step {
        void take() throws Exception;
    }

    private static int alone;

    private static Thread thread(Step step) {
        return new Thread(() -> {
            int[] own = new int[4];
            for (int i = 0; i < alone; i++) {
                own[i & 3] += i;
            }
            try {
                step.take();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }

    /** Writes its own part, meets the other thread, reads that one's part, and meets it again. */
    private double exchange(int self) throws InterruptedException, BrokenBarrierException {
        double sum = 0;
        for (int round = 0; round < ROUNDS; round++) {
            for (int i = 0; i < SIZE; i++) {
                parts[self][i] += round;
            }
            boxes[self].value = round;
            barrier.await();
            for (int i = 0; i < SIZE; i++) {
                sum += parts[1 - self][i];
            }
            sum += boxes[1 - self].value;
            barrier.await();
        }
        return sum;
    }

    /** The same without the second meeting: one thread writes while the other still reads. */
    private double hurry(int self) throws InterruptedException, BrokenBarrierException {
        double sum = 0;
        for (int round = 0; round < ROUNDS; round++) {
            for (int i = 0; i < SIZE; i++) {
                parts[self][i] += round;
            }
            barrier.await();
            for (int i = 0; i < SIZE; i++) {
                sum += parts[1 - self][i];
            }
        }
        return sum;
    }

    /** Nobody meets this one. */
    private double watch() throws InterruptedException {
        Thread.sleep(300);
        return parts[0][SIZE - 1] + boxes[1].value;
    }

    /** Who meets whom is chance; this time the first two threads meet, and later two that have nothing to say. */
    private int pass(int self) throws InterruptedException, BrokenBarrierException {
        Thread.sleep(self / 2 * 300L);
        if (self == 0) {
            boxes[0].value = 1;
        }
        barrier.await();
        return self == 1 ? boxes[0].value : 0;
    }

    /** Gives up, so that the barrier is broken; all go on without it. */
    private double impatient(int self) throws InterruptedException {
        boxes[self].value = self;
        try {
            if (self == 0) {
                barrier.await(1, TimeUnit.MILLISECONDS);
            } else {
                Thread.sleep(200);
                barrier.await();
            }
        } catch (BrokenBarrierException | TimeoutException e) {
            parts[self][0] = 1;
        }
        return boxes[1 - self].value;
    }

    public static void main(String[] args) throws InterruptedException {
        Rendezvous r = new Rendezvous();
        Thread[] threads;
        alone = Integer.parseInt(args[1]);
        switch (args[0]) {
        case "exchange":
            threads = new Thread[] {thread(() -> r.exchange(0)), thread(() -> r.exchange(1))};
            break;
        case "hurry":
            threads = new Thread[] {thread(() -> r.hurry(0)), thread(() -> r.hurry(1))};
            break;
        case "watched":
            threads = new Thread[] {thread(() -> r.exchange(0)), thread(() -> r.exchange(1)), thread(r::watch)};
            break;
        case "chance":
            threads = new Thread[] {thread(() -> r.pass(0)), thread(() -> r.pass(1)), thread(() -> r.pass(2)),
                thread(() -> r.pass(3))};
            break;
        default:
            threads = new Thread[] {thread(() -> r.impatient(0)), thread(() -> r.impatient(1))};
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("met");
    }
}
