// expect: race=yes deadlock=no
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Two tasks of a pool count together without a lock. */
public class WorkQueueBroken {
    private static int done;

    public static void main(String[] args) throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        pool.execute(() -> done++);
        pool.execute(() -> done++);
        pool.shutdown();
        System.out.println(pool.awaitTermination(10, TimeUnit.SECONDS) && done > 0);
    }
}
