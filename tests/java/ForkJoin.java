// expect: race=no deadlock=no unordered=no
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RecursiveAction;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Tasks that fork and join, a parallel stream, a timer, pools that do something after each task. */
public class ForkJoin {
    static final class Square extends RecursiveAction {
        private static final long serialVersionUID = 1;
        private final int[] numbers;
        private final int from, to;

        Square(int[] numbers, int from, int to) {
            this.numbers = numbers;
            this.from = from;
            this.to = to;
        }

        @Override
        protected void compute() {
            if (to - from < 3) {
                for (int i = from; i < to; i++) {
                    numbers[i] *= numbers[i];
                }
                return;
            }
            Square left = new Square(numbers, from, (from + to) / 2);
            left.fork();
            Square right = new Square(numbers, (from + to) / 2, to);
            right.compute();
            left.join();
            numbers[from] += numbers[to - 1];
        }
    }

    private static int ticks, done;

    static void count() throws InterruptedException {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(2, 2, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>()) {
            @Override
            protected synchronized void afterExecute(Runnable task, Throwable thrown) {
                done++;
            }
        };
        pool.execute(() -> { });
        pool.execute(() -> { });
        pool.shutdown();
        pool.awaitTermination(60, TimeUnit.SECONDS);
    }

    public static void main(String[] args) throws InterruptedException {
        int[] numbers = {1, 2, 3, 4, 5, 6, 7, 8};
        ForkJoinPool pool = new ForkJoinPool(2);
        pool.invoke(new Square(numbers, 0, numbers.length));
        pool.shutdown();
        IntStream.range(0, numbers.length).parallel().forEach(i -> numbers[i]++);
        Timer timer = new Timer();
        CountDownLatch over = new CountDownLatch(1);
        ticks = 1;
        timer.schedule(new TimerTask() {
            @Override
            public void run() {
                ticks++;
                over.countDown();
            }
        }, 1);
        over.await();
        timer.cancel();
        for (int round = 0; round < 5; round++) {
            count();
        }
        System.out.println(numbers[0] + numbers[7] + ticks + done);
    }
}
