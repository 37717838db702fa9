// expect: race=no deadlock=no
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CountedCompleter;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RecursiveAction;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** What the program does inside a call of the JDK, or for it in another thread, comes before what the call brings about. */
public class Callbacks {
    private static final class Box {
        int value;

        Box(int value) {
            this.value = value;
        }
    }

    private static int sum, late;
    private static final int[] parts = new int[2];

    private static void both(Runnable one, Runnable two) throws InterruptedException {
        Thread first = new Thread(one), second = new Thread(two);
        first.start();
        second.start();
        first.join();
        second.join();
    }

    /** A function makes or changes what is in a map. */
    private static void map() throws InterruptedException {
        ConcurrentHashMap<Integer, Box> map = new ConcurrentHashMap<>();
        Runnable uses = () -> {
            for (int i = 0; i < 20; i++) {
                if (map.computeIfAbsent(i, key -> new Box(key)).value != i) {
                    throw new AssertionError();
                }
                map.compute(-1, (key, box) -> {
                    Box counts = box == null ? new Box(0) : box;
                    counts.value++;
                    return counts;
                });
            }
        };
        both(uses, uses);
    }

    /** Whoever comes last runs what all wait for. */
    private static void barrier() throws InterruptedException {
        CyclicBarrier barrier = new CyclicBarrier(2, () -> sum = parts[0] + parts[1]);
        both(() -> meet(barrier, 0), () -> meet(barrier, 1));
    }

    private static void meet(CyclicBarrier barrier, int me) {
        try {
            for (int i = 0; i < 5; i++) {
                parts[me]++;
                barrier.await();
                if (sum != 2 * (i + 1)) {
                    throw new AssertionError();
                }
                barrier.await();
            }
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Tasks are handed on by a static method that they inherit. */
    private static final class Fill extends RecursiveAction {
        private int[] array;
        private int low, high;

        Fill(int[] array, int low, int high) {
            this.array = array;
            this.low = low;
            this.high = high;
        }

        @Override
        protected void compute() {
            if (high - low < 8) {
                for (int i = low; i < high; i++) {
                    array[i] = i;
                }
                return;
            }
            int middle = (low + high) / 2;
            invokeAll(new Fill(array, low, middle), new Fill(array, middle, high));
            array[low]++;
        }
    }

    /** The one that is done last completes the others' parent. */
    private static final class Total extends CountedCompleter<Box> {
        private final int[] array;
        private final int low, high;
        private Total[] halves;
        private Box result;

        Total(CountedCompleter<?> parent, int[] array, int low, int high) {
            super(parent);
            this.array = array;
            this.low = low;
            this.high = high;
        }

        @Override
        public void compute() {
            if (high - low < 8) {
                result = new Box(0);
                for (int i = low; i < high; i++) {
                    result.value += array[i];
                }
            } else {
                int middle = (low + high) / 2;
                halves = new Total[] {new Total(this, array, low, middle), new Total(this, array, middle, high)};
                setPendingCount(2);
                halves[0].fork();
                halves[1].fork();
            }
            tryComplete();
        }

        @Override
        public void onCompletion(CountedCompleter<?> caller) {
            if (halves != null) {
                result = new Box(halves[0].result.value + halves[1].result.value);
            }
        }

        @Override
        public Box getRawResult() {
            return result;
        }
    }

    /** Those who take what is published do so one after the other, in threads of their own. */
    private static void publish() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        int[] seen = {0};
        try (SubmissionPublisher<Box> publisher = new SubmissionPublisher<>()) {
            publisher.subscribe(new Flow.Subscriber<>() {
                @Override
                public void onSubscribe(Flow.Subscription subscription) {
                    subscription.request(10);
                }

                @Override
                public void onNext(Box box) {
                    seen[0] += box.value;
                }

                @Override
                public void onError(Throwable error) {
                }

                @Override
                public void onComplete() {
                    done.countDown();
                }
            });
            for (int i = 0; i < 10; i++) {
                publisher.submit(new Box(i));
            }
        }
        done.await();
        if (seen[0] != 45) {
            throw new AssertionError();
        }
    }

    /** The JDK interrupts for us. */
    private static void cancel() throws InterruptedException {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        CountDownLatch begun = new CountDownLatch(1);
        Future<?> future = pool.submit(() -> {
            begun.countDown();
            try {
                Thread.sleep(60000);
            } catch (InterruptedException e) {
                late++;
            }
        });
        begun.await();
        late = 1;
        future.cancel(true);
        pool.shutdown();
        pool.awaitTermination(60, TimeUnit.SECONDS);
    }

    /** After each task. */
    private static void around() throws InterruptedException {
        Box box = new Box(0);
        ThreadPoolExecutor pool = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>()) {
            @Override
            protected void afterExecute(Runnable task, Throwable thrown) {
                box.value++;
            }
        };
        pool.execute(() -> box.value++);
        pool.shutdown();
        pool.awaitTermination(60, TimeUnit.SECONDS);
        box.value++;
    }

    public static void main(String[] args) throws InterruptedException {
        map();
        barrier();
        int[] array = new int[64];
        ForkJoinPool pool = new ForkJoinPool(3);
        pool.invoke(new Fill(array, 0, array.length));
        System.out.println(pool.invoke(new Total(null, array, 0, array.length)).value);
        pool.shutdown();
        publish();
        cancel();
        around();
        Box last = new Box(0);
        Thread ends = new Thread(() -> last.value = 1);
        ends.start();
        while (ends.getState() != Thread.State.TERMINATED) {
            Thread.onSpinWait();
        }
        last.value++;
        // The machine runs this when all threads have ended.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> late += last.value));
        new Thread(() -> last.value++).start();
    }
}
