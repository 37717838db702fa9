// expect: race=no deadlock=no stale=no atomicity=no unordered=no
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Done right: a loop of compare-and-set, double-checked locking, a queue with a monitor, a pool of threads. */
public class Careful {
    private static final AtomicInteger counter = new AtomicInteger();
    private static volatile Careful instance;
    private static final Queue<Integer> queue = new ArrayDeque<>();
    private static int done;

    private final int number;

    private Careful(int number) {
        this.number = number;
    }

    private static void increment() {
        int seen;
        do {
            seen = counter.get();
        } while (!counter.compareAndSet(seen, seen + 1));
    }

    private static Careful instance() {
        Careful made = instance;
        if (made == null) {
            synchronized (Careful.class) {
                made = instance;
                if (made == null) {
                    instance = made = new Careful(5);
                }
            }
        }
        return made;
    }

    private static void put(int job) {
        synchronized (queue) {
            queue.add(job);
            queue.notifyAll();
        }
    }

    private static int take() throws InterruptedException {
        synchronized (queue) {
            while (queue.isEmpty()) {
                queue.wait();
            }
            return queue.remove();
        }
    }

    private static void work() {
        try {
            int job = take();
            increment();
            synchronized (queue) {
                done += job + instance().number;
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        for (int i = 0; i < 4; i++) {
            pool.execute(Careful::work);
        }
        for (int i = 0; i < 4; i++) {
            put(i);
        }
        pool.shutdown();
        System.out.println(pool.awaitTermination(20, TimeUnit.SECONDS));
        synchronized (queue) {
            System.out.println(done + counter.get());
        }
    }
}
