import java.util.ArrayList;
import java.util.List;

/** Ends as it is told to, with something recorded before. */
public class Endings {
    private static int shared;

    public static void main(String[] args) throws Exception {
        Thread other = new Thread(() -> shared++);
        other.start();
        shared++;
        other.join();
        switch (args[0]) {
        case "exit":
            System.exit(7);
            break;
        case "halt":
            Runtime.getRuntime().halt(8);
            break;
        case "throw":
            throw new IllegalStateException("meant");
        case "memory":
            List<long[]> all = new ArrayList<>();
            while (true) {
                all.add(new long[1 << 20]);
            }
        case "overflow":
            System.out.println(deep(0) > 0 ? "caught" : "not");
            break;
        case "kill":
            new ProcessBuilder("kill", "-9", Long.toString(ProcessHandle.current().pid())).start();
            Thread.sleep(60_000);
            break;
        case "deadlock":
            deadlock();
            break;
        case "daemon":
            Thread busy = new Thread(() -> {
                while (true) {
                    shared++;
                }
            });
            busy.setDaemon(true);
            busy.start();
            Thread.sleep(100);
            break;
        default:
            throw new IllegalArgumentException(args[0]);
        }
    }

    private static int deep(int depth) {
        int[] cell = {depth};
        try {
            return deep(cell[0] + 1) + shared;
        } catch (StackOverflowError e) {
            return cell[0];
        }
    }

    private static void deadlock() throws InterruptedException {
        Object first = new Object();
        Object second = new Object();
        java.util.concurrent.CountDownLatch both = new java.util.concurrent.CountDownLatch(2);
        Thread other = new Thread(() -> take(second, first, both));
        other.start();
        take(first, second, both);
        other.join();
    }

    private static void take(Object outer, Object inner, java.util.concurrent.CountDownLatch both) {
        synchronized (outer) {
            both.countDown();
            try {
                both.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            synchronized (inner) {
                shared++;
            }
        }
    }
}
