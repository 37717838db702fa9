import java.util.ArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** What cannot be explored to the end: exploring must say so. */
public class Limits {
    private static int count;
    private static final Object monitor = new Object();

    /** Initialized by whoever comes first. */
    private static final class Late {
        static int number = Integer.parseInt("1");
    }

    /** The same, and it fails. */
    private static final class Failing {
        static int number = Integer.parseInt("one");
    }

    private interface Task {
        void run() throws InterruptedException;
    }

    private static Thread thread(Task task) {
        return new Thread(() -> {
            try {
                task.run();
            } catch (InterruptedException e) {
                count--;
            }
        });
    }

    private static void both(Task one, Task two) throws InterruptedException {
        Thread first = thread(one), second = thread(two);
        first.start();
        second.start();
        first.join();
        second.join();
    }

    public static void main(String[] args) throws InterruptedException {
        ArrayList<Integer> list = new ArrayList<>();
        switch (args[0]) {
            case "time-out" -> both(() -> {
                synchronized (monitor) {
                    monitor.wait(10);
                    count++;
                }
            }, () -> count++);
            case "initializer" -> both(() -> count += Late.number, () -> count += Late.number);
            case "failure" -> both(() -> {
                try {
                    count += Failing.number;
                } catch (ExceptionInInitializerError e) {
                    count--;
                }
            }, () -> count += 2);
            case "list" -> both(() -> list.add(1), () -> list.add(2));
            case "time" -> {
                both(() -> count++, () -> count++);
                System.out.println(System.nanoTime());
            }
            case "daemon" -> {
                Thread daemon = thread(() -> {
                    Thread.sleep(10000);
                    count++;
                });
                daemon.setDaemon(true);
                daemon.start();
            }
            case "text" -> {
                AtomicInteger number = new AtomicInteger();
                both(() -> number.incrementAndGet(), () -> System.out.println(number));
            }
            case "literal" -> both(() -> {
                synchronized ("a") {
                    count++;
                }
            }, () -> {
                synchronized ("a") {
                    count++;
                }
            });
            default -> throw new IllegalArgumentException(args[0]);
        }
        System.out.println(count);
    }
}
