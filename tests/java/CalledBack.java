// expect: race=no unordered=no deadlock=no stale=no
import java.beans.PropertyChangeListener;
import java.beans.PropertyChangeSupport;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.logging.Formatter;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.StreamHandler;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Code of the program that the JDK calls, under locks of its own or after it has synchronized. */
public class CalledBack {
    /** The handler has its monitor; not from JDK 25 on. */
    static class Counting extends Formatter {
        private final StringBuilder line = new StringBuilder();
        private int formatted;

        @Override
        public String format(LogRecord event) {
            formatted++;
            line.setLength(0);
            return line.append(event.getMessage()).append('\n').toString();
        }
    }

    /** The stream that prints has its lock. */
    static class Sized extends OutputStream {
        private int bytes;

        @Override
        public void write(int b) {
            bytes++;
        }

        @Override
        public void write(byte[] from, int start, int length) {
            bytes += length;
        }
    }

    /** The same of a writer. */
    static class Measured extends Writer {
        private int characters;

        @Override
        public void write(char[] from, int start, int length) {
            characters += length;
        }

        @Override
        public void flush() {
        }

        @Override
        public void close() {
        }
    }

    /** The loader is locked while it looks for a class. */
    static class Asked extends ClassLoader {
        private final Map<String, Integer> times = new HashMap<>();
        private int all;

        Asked() {
            super(null);
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            all++;
            times.merge(name, 1, Integer::sum);
            throw new ClassNotFoundException(name);
        }
    }

    static class Other {
        static int setting;
    }

    /** Its initializer does something to another class; nothing else of it is ever accessed. */
    static class Setting {
        static {
            Other.setting = 7;
        }

        static void load() {
        }
    }

    /** Compared by the pool's queue when it is handed over and when it, or another, is taken. */
    static class Job implements Runnable, Comparable<Job> {
        private int priority;

        @Override
        public int compareTo(Job other) {
            return Integer.compare(priority, other.priority);
        }

        @Override
        public void run() {
        }
    }

    /** Merged by a concurrent collector, which has a lock of the map's then. */
    static class Sum {
        private int sum;

        Sum(int first) {
            for (int i = 0; i < 100; i++) {
                Thread.onSpinWait(); // so that threads meet
            }
            sum = first;
        }

        Sum merge(Sum other) {
            sum += other.sum;
            return this;
        }

        @Override
        public int hashCode() {
            return sum % 2;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Sum && ((Sum) other).sum == sum;
        }
    }

    private static int tasks, tasksAtEnd;

    static void both(Runnable work) throws InterruptedException {
        Thread one = new Thread(work);
        Thread two = new Thread(work);
        one.start();
        two.start();
        one.join();
        two.join();
    }

    static void loads(Asked loader) {
        try {
            loader.loadClass("no.such.Class");
        } catch (ClassNotFoundException e) {
            // as it should
        }
    }

    static void listens() throws InterruptedException {
        PropertyChangeSupport events = new PropertyChangeSupport("source");
        int[] seen = {0};
        Thread fires = new Thread(() -> {
            while (!events.hasListeners("value")) {
                Thread.onSpinWait();
            }
            events.firePropertyChange("value", 1, 2);
        });
        fires.start();
        seen[0] = 3;
        PropertyChangeListener adds = event -> seen[0]++;
        events.addPropertyChangeListener(adds);
        fires.join();
    }

    static void terminates() throws InterruptedException {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(2, 2, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>()) {
            @Override
            protected void terminated() {
                tasksAtEnd = tasks;
            }
        };
        pool.execute(() -> tasks = 1);
        pool.shutdown();
        pool.awaitTermination(60, TimeUnit.SECONDS);
        System.out.println(tasksAtEnd);
    }

    static void compares() throws InterruptedException {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(2, 2, 1, TimeUnit.SECONDS, new PriorityBlockingQueue<>());
        for (int i = 30; i > 0; i--) {
            Job job = new Job();
            job.priority = i % 7;
            pool.execute(job);
        }
        pool.shutdown();
        pool.awaitTermination(60, TimeUnit.SECONDS);
    }

    static void collects() {
        int merged = IntStream.range(0, 300).parallel().boxed()
            .collect(Collectors.toConcurrentMap(i -> i % 3, Sum::new, Sum::merge)).get(1).sum;
        long distinct = IntStream.range(0, 300).parallel().mapToObj(i -> new Sum(i % 5)).unordered().distinct().count();
        System.out.println(merged + " " + distinct);
    }

    public static void main(String[] args) throws InterruptedException {
        Logger log = Logger.getLogger("called.back");
        log.setUseParentHandlers(false);
        Counting formatter = new Counting();
        log.addHandler(new StreamHandler(new ByteArrayOutputStream(), formatter));
        if (Runtime.version().feature() < 25) {
            both(() -> log.info("text"));
        }

        Sized sized = new Sized();
        PrintStream prints = new PrintStream(sized, true);
        both(() -> prints.println("text"));

        Measured measured = new Measured();
        PrintWriter writes = new PrintWriter(measured, true);
        both(() -> writes.println("text"));

        Asked loader = new Asked();
        both(() -> loads(loader));

        both(() -> {
            Setting.load();
            if (Other.setting != 7) {
                throw new AssertionError();
            }
        });
        listens();
        terminates();
        compares();
        collects();
        System.out.println(formatter.formatted + " " + (sized.bytes > 0) + " " + measured.characters + " " + loader.all);
    }
}
