// expect: race=yes deadlock=no
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Two tasks of a pool; the first happens to be over before the second is handed over, but nobody has asked. */
public class Stages {
    private int both, after;

    public static void main(String[] args) throws InterruptedException {
        Stages all = new Stages();
        ExecutorService pool = Executors.newFixedThreadPool(2);
        CompletableFuture<Void> first = CompletableFuture.runAsync(() -> all.both += 1, pool);
        Thread.sleep(100);
        CompletableFuture<Integer> second = CompletableFuture.supplyAsync(() -> all.both += 2, pool);
        first.thenCombineAsync(second, (nothing, sum) -> all.after = sum, pool).join();
        pool.shutdown();
        System.out.println(all.after > 0);
    }
}
