import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;

/** A thread writes what it made of a value that it read before two meetings, between which the other one wrote. */
public final class StaleOver {
    private int field;

    private StaleOver() {
    }

    private static Thread start(CyclicBarrier barrier, Runnable... steps) {
        Thread thread = new Thread(() -> {
            try {
                for (Runnable step : steps) {
                    step.run();
                    barrier.await();
                }
            } catch (InterruptedException | BrokenBarrierException e) {
                throw new IllegalStateException(e);
            }
        });
        thread.start();
        return thread;
    }

    public static void main(String[] args) throws InterruptedException {
        CyclicBarrier barrier = new CyclicBarrier(2);
        StaleOver shared = new StaleOver();
        int[] read = new int[1];
        Runnable nothing = () -> { };
        Thread one = start(barrier, () -> read[0] = shared.field, nothing, () -> shared.field = read[0] + 1);
        Thread other = start(barrier, nothing, () -> shared.field = 5, nothing);
        one.join();
        other.join();
        System.out.println(shared.field);
    }
}
