// expect: race=no deadlock=no
import java.util.Timer;
import java.util.TimerTask;
import java.util.Vector;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Exchanger;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Phaser;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.StampedLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The JDK called by other names: by those of classes that extend its own, by references to methods, by views of locks. */
public class Extended {
    private static final class Box {
        int value;

        Box(int value) {
            this.value = value;
        }
    }

    private static final class Table extends ConcurrentHashMap<String, Box> {
    }

    private static final class Phases extends Phaser {
        Phases(int parties) {
            super(parties);
        }
    }

    private static final class Swap extends Exchanger<Box> {
    }

    private static final class Permit extends Semaphore {
        Permit() {
            super(1);
        }
    }

    private static final class Stamps extends StampedLock {
    }

    private static final class Cell extends AtomicReference<Box> {
    }

    private static final class Count extends AtomicInteger {
    }

    private static final class Boxes extends Vector<Box> {
    }

    private static final class Clock extends Timer {
    }

    private static final class Pool extends ForkJoinPool {
        Pool() {
            super(2);
        }
    }

    private static final class Task extends TimerTask {
        private Box box;
        private final CountDownLatch done;

        Task(Box box, CountDownLatch done) {
            this.box = box;
            this.done = done;
        }

        @Override
        public void run() {
            box.value++;
            done.countDown();
        }
    }

    private interface Action {
        void run() throws Exception;
    }

    private static int count, plain;
    private static final int[] parts = new int[2];

    private static Thread start(Action action) {
        Thread thread = new Thread(() -> {
            try {
                action.run();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        thread.start();
        return thread;
    }

    private static void both(Action one, Action two) throws InterruptedException {
        Thread first = start(one), second = start(two);
        first.join();
        second.join();
    }

    private static <T> T await(Supplier<T> supplier) {
        T found;
        while ((found = supplier.get()) == null) {
            Thread.onSpinWait();
        }
        return found;
    }

    private static void extended() throws Exception {
        Table table = new Table();
        both(() -> table.merge("a", new Box(1), (one, other) -> other), () -> plain(await(() -> table.getOrDefault("a", null))));
        Phases phases = new Phases(2);
        both(() -> phase(phases, 0), () -> phase(phases, 1));
        Swap swap = new Swap();
        Action swaps = () -> swap.exchange(new Box(1)).value++;
        both(swaps, swaps);
        Permit permit = new Permit();
        Action takes = () -> {
            while (!permit.tryAcquire()) {
                Thread.onSpinWait();
            }
            count++;
            permit.release();
        };
        both(takes, takes);
        Cell cell = new Cell();
        AtomicReference<Box> same = cell;
        both(() -> cell.compareAndSet(null, new Box(1)), () -> plain(await(() -> same.get())));
        Count counts = new Count();
        both(() -> {
            plain = 1;
            counts.incrementAndGet();
        }, () -> {
            while (counts.intValue() == 0) {
                Thread.onSpinWait();
            }
            plain++;
        });
        Boxes boxes = new Boxes();
        both(() -> boxes.addElement(new Box(1)), () -> plain(await(() -> boxes.isEmpty() ? null : boxes.firstElement())));
        Clock clock = new Clock();
        CountDownLatch done = new CountDownLatch(1);
        Box ticked = new Box(1);
        clock.schedule(new Task(ticked, done), 1);
        done.await();
        clock.cancel();
        Pool pool = new Pool();
        pool.submit(() -> ticked.value++).get();
        ticked.value++;
        pool.shutdown();
    }

    private static void plain(Box box) {
        box.value++;
    }

    private static void phase(Phases phases, int me) {
        for (int i = 0; i < 5; i++) {
            parts[me]++;
            phases.arriveAndAwaitAdvance();
            if (parts[1 - me] != i + 1) {
                throw new AssertionError();
            }
            phases.arriveAndAwaitAdvance();
        }
    }

    private static void locked(Runnable lock, Runnable unlock) throws InterruptedException {
        Action counts = () -> {
            for (int i = 0; i < 10; i++) {
                lock.run();
                count++;
                unlock.run();
            }
        };
        both(counts, counts);
    }

    private static void referred() throws InterruptedException {
        BlockingQueue<Box> queue = new LinkedBlockingQueue<>();
        Consumer<Box> puts = queue::add;
        Callable<Box> takes = queue::take;
        both(() -> puts.accept(new Box(1)), () -> plain(takes.call()));
        AtomicReference<Box> reference = new AtomicReference<>();
        Supplier<Box> gets = reference::get;
        both(() -> reference.set(new Box(1)), () -> plain(await(gets)));
        ReentrantLock lock = new ReentrantLock();
        locked(lock::lock, lock::unlock);
        Box joined = new Box(1);
        Thread thread = new Thread(() -> joined.value++);
        Runnable starts = thread::start;
        Action joins = thread::join;
        starts.run();
        try {
            joins.run();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        joined.value++;
    }

    private static void viewed() throws InterruptedException {
        Stamps stamps = new Stamps();
        Lock view = stamps.asWriteLock(), other = stamps.asReadWriteLock().writeLock();
        Action locks = () -> {
            for (int i = 0; i < 10; i++) {
                view.lock();
                count++;
                view.unlock();
                long stamp = stamps.writeLock();
                count++;
                stamps.unlockWrite(stamp);
                other.lock();
                count++;
                other.unlock();
            }
        };
        both(locks, locks);
    }

    public static void main(String[] args) throws Exception {
        extended();
        referred();
        viewed();
        System.out.println(count);
    }
}
