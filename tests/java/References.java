// expect: race=no unordered=no deadlock=no
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.FilterOutputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.PriorityQueue;
import java.util.Properties;
import java.util.Stack;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

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
        moreJdk();
        ownAndPools();
        System.exit(failures);
    }

    private static void moreJdk() {
        int[] closed = {0};
        Stream<String> stream = Stream.of("a").onClose(() -> closed[0]++);
        Runnable closes = stream::close; // of BaseStream
        closes.run();
        expect(closed[0] == 1, "stream::close");
        IntStream three = IntStream.range(0, 3);
        IntSupplier sums = three::sum;
        expect(sums.getAsInt() == 3, "three::sum");
        Function<ArrayList<String>, Stream<String>> streams = Collection::stream; // nothing is bound
        expect(streams.apply(new ArrayList<>()).count() == 0, "Collection::stream");

        Properties properties = new Properties();
        Supplier<Integer> size = properties::size; // of Hashtable
        expect(size.get() == 0, "properties::size");
        Stack<String> stack = new Stack<>();
        Predicate<String> pushes = stack::add; // of Vector
        expect(pushes.test("a") && stack.peek().equals("a"), "stack::add");
        Deque<String> deque = new ArrayDeque<>();
        Consumer<String> appends = deque::add; // what it returns is dropped
        appends.accept("b");
        expect(deque.size() == 1, "deque::add");
        LinkedBlockingQueue<String> blocking = new LinkedBlockingQueue<>();
        Consumer<String> puts = blocking::add; // of AbstractQueue
        puts.accept("c");
        expect(blocking.size() == 1, "blocking::add");
        PriorityQueue<String> first = new PriorityQueue<>();
        Function<Collection<String>, Boolean> addsAll = first::addAll; // of AbstractQueue
        expect(addsAll.apply(List.of("d")), "first::addAll");
        NavigableMap<String, Integer> tree = new TreeMap<>(Map.of("e", 5));
        Function<String, Integer> finds = tree::get; // of Map
        expect(finds.apply("e") == 5, "tree::get");
    }

    static class Counter {
        int value;

        void increment() {
            value++;
        }

        static int twice(int of) {
            return 2 * of;
        }
    }

    static class Named extends Counter {
        @Override
        void increment() {
            Runnable inherited = super::increment;
            inherited.run();
            inherited.run();
        }
    }

    static class Plain extends Counter {
    }

    private static void ownAndPools() throws Exception {
        Plain plain = new Plain();
        Runnable increments = plain::increment; // of Counter
        increments.run();
        Named named = new Named();
        increments = named::increment;
        increments.run();
        expect(plain.value == 1 && named.value == 2, "named::increment");
        IntUnaryOperator doubles = Plain::twice;
        Supplier<Plain> makes = Plain::new;
        IntFunction<int[]> arrays = int[]::new;
        expect(doubles.applyAsInt(4) == 8 && makes.get().value == 0 && arrays.apply(3).length == 3, "Plain::new");

        ExecutorService fixed = Executors.newFixedThreadPool(1);
        CountDownLatch ran = new CountDownLatch(2);
        Consumer<Runnable> executes = fixed::execute; // of Executor
        executes.accept(ran::countDown);
        ForkJoinPool joining = new ForkJoinPool(1);
        Function<Runnable, Object> submits = joining::submit;
        submits.apply(ran::countDown);
        ran.await();
        Runnable shuts = fixed::shutdown;
        shuts.run();
        shuts = joining::shutdown;
        shuts.run();
        expect(fixed.isShutdown() && joining.isShutdown(), "fixed::shutdown");
    }
}
