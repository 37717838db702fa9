// expect: race=no unordered=no deadlock=no
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.FilterOutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** References to methods that the receiver's type inherits from another: compilers name the other type, call sites the first. */
public class References {
    static class Numbers extends ArrayList<Integer> {
        Predicate<Integer> adds() {
            return this::add;
        }
    }

    static class Queue<T> extends ArrayBlockingQueue<T> {
        Queue() {
            super(4);
        }
    }

    interface Handler extends AutoCloseable, Runnable {
    }

    static int failures;

    static void expect(boolean holds, String form) {
        if (!holds) {
            failures++;
            System.out.println("wrong: " + form);
        }
    }

    static <T extends LinkedHashSet<String>> Predicate<String> adds(T set) {
        return set::add;
    }

    public static void main(String[] args) throws Exception {
        LinkedHashMap<String, Integer> map = new LinkedHashMap<>();
        BiFunction<String, Integer, Integer> puts = map::put; // of HashMap
        puts.apply("a", 1);
        java.util.HashMap<String, Integer> plain = new java.util.HashMap<>();
        BiFunction<String, Integer, Integer> putsPlain = plain::put; // as above but for the type that is bound
        putsPlain.apply("a", 2);
        expect(map.get("a") == 1 && plain.get("a") == 2, "map::put");

        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        FilterOutputStream stream = new FilterOutputStream(bytes) {
            @Override
            public void close() {
                bytes.write(7);
            }
        };
        Closeable closes = stream::close;
        closes.close();
        expect(bytes.size() == 1, "stream::close");

        ScheduledExecutorService pool = Executors.newScheduledThreadPool(1);
        Function<Callable<Integer>, java.util.concurrent.Future<Integer>> submits = pool::submit; // of ExecutorService
        expect(submits.apply(() -> 5).get() == 5, "pool::submit");
        Runnable shuts = pool::shutdown;
        shuts.run();
        expect(pool.isShutdown(), "pool::shutdown");
        ScheduledThreadPoolExecutor scheduled = new ScheduledThreadPoolExecutor(1);
        Supplier<Integer> size = scheduled::getCorePoolSize; // of ThreadPoolExecutor
        expect(size.get() == 1, "scheduled::getCorePoolSize");
        Supplier<List<Runnable>> shutsNow = ((ExecutorService) scheduled)::shutdownNow;
        expect(shutsNow.get().isEmpty(), "scheduled::shutdownNow");

        Numbers numbers = new Numbers();
        Predicate<Integer> adds = numbers::add; // of ArrayList, by the program's own type
        expect(adds.test(3) && numbers.adds().test(4) && numbers.size() == 2, "numbers::add");
        IntFunction<Integer> gets = numbers::get;
        expect(gets.apply(1) == 4, "numbers::get");

        Queue<Integer> queue = new Queue<>();
        Predicate<Integer> offers = queue::offer;
        Supplier<Integer> polls = queue::poll;
        expect(offers.test(6) && polls.get() == 6, "queue::offer");

        expect(adds(new LinkedHashSet<>()).test("x"), "set::add");

        Handler handler = new Handler() {
            @Override
            public void close() {
                numbers.clear();
            }

            @Override
            public void run() {
                numbers.add(9);
            }
        };
        AutoCloseable ends = handler::close; // of AutoCloseable
        ends.close();
        Runnable runs = handler::run;
        runs.run();
        expect(numbers.size() == 1 && numbers.get(0) == 9, "handler::close");

        int[] array = {1, 2};
        Supplier<Object> clones = array::clone;
        expect(((int[]) clones.get())[1] == 2, "array::clone");

        Function<LinkedHashMap<String, Integer>, Integer> counts = LinkedHashMap::size; // nothing is bound
        expect(counts.apply(map) == 1, "LinkedHashMap::size");

        Thread thread = new Thread(map::clear) {
        };
        Consumer<Long> joins = millis -> {
            try {
                thread.join(millis);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        };
        Runnable starts = thread::start;
        starts.run();
        joins.accept(0L);
        expect(map.isEmpty(), "thread::start");
        System.exit(failures);
    }
}
