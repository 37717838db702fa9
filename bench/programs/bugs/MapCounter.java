// JaConTeBe: get and put of a ConcurrentHashMap, one after the other (groovy)
import java.util.concurrent.ConcurrentHashMap;

public class MapCounter {
    public static void main(String[] args) throws InterruptedException {
        ConcurrentHashMap<String, Integer> counts = new ConcurrentHashMap<>();
        counts.put("a", 0);
        Runnable counting = () -> counts.put("a", counts.get("a") + 1);
        Thread one = new Thread(counting), other = new Thread(counting);
        one.start();
        other.start();
        one.join();
        other.join();
        if (counts.get("a") != 2) {
            throw new IllegalStateException("one was lost");
        }
    }
}
