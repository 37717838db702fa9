// expect: race=yes stale=yes deadlock=no
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Threads that only look at a shared collection are not ordered by it. */
public class LooksHide {
    private static final CopyOnWriteArrayList<String> listeners = new CopyOnWriteArrayList<>();
    private static final ConcurrentHashMap<String, Integer> table = new ConcurrentHashMap<>();
    private static int count;

    private static void work() {
        for (String listener : listeners) {
            table.get(listener);
        }
        count++;
        table.getOrDefault(listeners.get(0), 0);
    }

    public static void main(String[] arguments) throws InterruptedException {
        listeners.add("a");
        table.put("a", 1);
        Thread first = new Thread(LooksHide::work), second = new Thread(LooksHide::work);
        first.start();
        Thread.sleep(50);
        second.start();
        first.join();
        second.join();
    }
}
