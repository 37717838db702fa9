// expect: race=no unordered=no deadlock=no
import java.util.Iterator;
import java.util.Vector;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;

/** Who sees what another put somewhere comes after that, whoever looked meanwhile; so does who steps an iterator on. */
public class LooksOrder {
    private static final CopyOnWriteArrayList<String> list = new CopyOnWriteArrayList<>();
    private static final ConcurrentHashMap<String, Integer> table = new ConcurrentHashMap<>();
    private static final LinkedBlockingQueue<Integer> queue = new LinkedBlockingQueue<>();
    private static final Vector<Integer> vector = new Vector<>();
    private static Iterator<Integer> steps;
    private static int published, answered, claimed, stepped;

    private static void publish() {
        published = 7;
        list.add("ready");
        while (!table.containsKey("answer")) {
            Thread.onSpinWait();
        }
        published = answered;
    }

    private static void answer() {
        while (list.isEmpty()) {
            Thread.onSpinWait();
        }
        answered = published;
        table.put("answer", 1);
    }

    /** Who puts first may. */
    private static void claim() {
        if (table.putIfAbsent("claim", 1) == null) {
            claimed++;
            queue.add(1);
        } else {
            while (queue.peek() == null) {
                Thread.onSpinWait();
            }
            claimed++;
        }
        synchronized (vector) {
            if (steps.next() == 1) {
                stepped++;
            } else {
                stepped--;
            }
        }
    }

    private static void run(Runnable one, Runnable other) throws InterruptedException {
        Thread first = new Thread(one), second = new Thread(other);
        first.start();
        second.start();
        first.join();
        second.join();
    }

    public static void main(String[] arguments) throws InterruptedException {
        vector.add(1);
        vector.add(2);
        steps = vector.iterator();
        run(LooksOrder::publish, LooksOrder::answer);
        run(LooksOrder::claim, LooksOrder::claim);
    }
}
