package worker.org.gradle;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.gradle.Threads;

/** Has the name of the main class of a machine that Gradle starts for tests, and like it runs them in a thread that waits for others,
 * renamed. Another thread of its own runs what the second argument names, a class of the program. */
public final class Worker {
    private Worker() {
    }

    private static void test(LinkedBlockingQueue<String> classes) throws Exception {
        String test = classes.take();
        Thread.currentThread().setName("Test worker");
        Class.forName(test).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
    }

    public static void main(String[] args) throws InterruptedException {
        LinkedBlockingQueue<String> classes = new LinkedBlockingQueue<>();
        CountDownLatch used = new CountDownLatch(1);
        ThreadPoolExecutor pool = (ThreadPoolExecutor) Executors.newCachedThreadPool(new Threads());
        pool.submit(() -> {
            test(classes);
            return null;
        });
        pool.submit(() -> {
            ((Runnable) Class.forName(args[1]).getConstructor().newInstance()).run();
            used.countDown();
            return null;
        });
        used.await();
        classes.put(args[0]);
        pool.shutdown();
        pool.awaitTermination(60, TimeUnit.SECONDS);
    }
}
