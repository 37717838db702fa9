import com.github.benmanes.caffeine.cache.Cache;
import java.util.concurrent.atomic.AtomicInteger;

/** Three threads use a cache that has to evict. */
public class Caffeine {
    public static void main(String[] args) throws Exception {
        AtomicInteger wrong = new AtomicInteger();
        Cache<Integer, String> cache =
            com.github.benmanes.caffeine.cache.Caffeine.newBuilder().maximumSize(50).recordStats().build();
        Work.inThreads(3, number -> {
            for (int i = 0; i < 300; i++) {
                int key = i * (number + 1) % 80;
                if (!cache.get(key, k -> "value " + k).equals("value " + key)) {
                    wrong.incrementAndGet();
                }
            }
        });
        cache.cleanUp();
        System.out.println(cache.stats().requestCount() + " requests, " + wrong + " wrong");
    }
}
