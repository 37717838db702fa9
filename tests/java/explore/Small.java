import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;

/** Small programs: two threads that do something, and what is left of it. */
public class Small {
    private static int count;
    private static volatile boolean ready;
    private static final Object monitor = new Object();

    private interface Task {
        void run() throws InterruptedException;
    }

    private static Thread start(Task task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        thread.start();
        return thread;
    }

    private static void both(Task one, Task two) throws InterruptedException {
        Thread first = start(one), second = start(two);
        first.join();
        second.join();
    }

    /** As many go in as there are permits. */
    private static void semaphore(int permits) throws InterruptedException {
        Semaphore semaphore = new Semaphore(permits);
        Task task = () -> {
            semaphore.acquire();
            count++;
            semaphore.release();
        };
        both(task, task);
    }

    /** Who does not get the lock does without. */
    private static void attempt() throws InterruptedException {
        ReentrantLock lock = new ReentrantLock();
        AtomicInteger got = new AtomicInteger();
        Task task = () -> {
            if (lock.tryLock()) {
                got.incrementAndGet();
                lock.unlock();
            }
        };
        both(task, task);
        count = got.get();
    }

    private static void compare() throws InterruptedException {
        AtomicInteger number = new AtomicInteger();
        Task task = () -> number.compareAndSet(0, number.get() + 1);
        both(task, task);
        count = number.get();
    }

    /** A condition that may be signalled before anybody waits for it. */
    private static void condition(boolean looks) throws InterruptedException {
        ReentrantLock lock = new ReentrantLock();
        Condition changed = lock.newCondition();
        both(() -> {
            lock.lock();
            while (!ready) {
                changed.await();
                if (!looks) {
                    break;
                }
            }
            lock.unlock();
        }, () -> {
            lock.lock();
            if (looks) {
                ready = true;
            }
            changed.signal();
            lock.unlock();
        });
    }

    /** The monitor is held twice over. */
    private static void nested() throws InterruptedException {
        both(() -> {
            synchronized (monitor) {
                synchronized (monitor) {
                    while (count == 0) {
                        monitor.wait();
                    }
                }
            }
        }, () -> {
            synchronized (monitor) {
                count++;
                monitor.notify();
            }
        });
    }

    private static void spin() throws InterruptedException {
        both(() -> {
            while (!ready) {
                Thread.onSpinWait();
            }
            count++;
        }, () -> ready = true);
    }

    private static void rounds() throws InterruptedException {
        both(() -> {
            for (int i = 0; i < 4; i++) {
                if (ready) {
                    return;
                }
            }
            count++;
        }, () -> ready = true);
    }

    private static void list(boolean locked) throws InterruptedException {
        ArrayList<Integer> list = new ArrayList<>();
        Task task = () -> {
            if (locked) {
                synchronized (monitor) {
                    list.add(1);
                }
            } else {
                list.add(1);
            }
        };
        both(task, task);
        count = list.size();
    }

    /** Whoever comes first ends the process, before or after the other has printed. */
    private static void exit() throws InterruptedException {
        both(() -> System.exit(3), () -> System.out.println("still there"));
    }

    private static void exception() throws InterruptedException {
        int[] numbers = {1};
        both(() -> count = 1, () -> System.out.println(numbers[count]));
    }

    private static void queue() throws InterruptedException {
        ArrayDeque<Integer> queue = new ArrayDeque<>();
        both(() -> {
            synchronized (queue) {
                queue.add(7);
                queue.notify();
            }
        }, () -> {
            synchronized (queue) {
                while (queue.isEmpty()) {
                    queue.wait();
                }
                count = queue.remove();
            }
        });
    }

    /** Calls without an instruction that makes them. */
    private static void reference() throws InterruptedException {
        AtomicInteger number = new AtomicInteger();
        IntSupplier gets = number::get;
        Runnable changes = number::incrementAndGet;
        both(() -> changes.run(), () -> System.out.println(gets.getAsInt()));
    }

    /** A thread that does nothing others could notice for so long that it might be thought not to come. */
    private static void late() throws InterruptedException {
        Thread thread = new Thread(() -> {
            try {
                Thread.sleep(900);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            count++;
        });
        thread.start();
        thread.join();
    }

    public static void main(String[] args) throws InterruptedException {
        switch (args[0]) {
            case "semaphore" -> semaphore(Integer.parseInt(args[1]));
            case "attempt" -> attempt();
            case "compare" -> compare();
            case "condition" -> condition(args.length > 1);
            case "nested" -> nested();
            case "spin" -> spin();
            case "rounds" -> rounds();
            case "list" -> list(args.length > 1);
            case "exit" -> exit();
            case "exception" -> exception();
            case "queue" -> queue();
            case "late" -> late();
            case "reference" -> reference();
            default -> throw new IllegalArgumentException(args[0]);
        }
        System.out.println(count);
    }
}
