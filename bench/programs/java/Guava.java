import com.google.common.cache.CacheBuilder;
import com.google.common.cache.CacheLoader;
import com.google.common.cache.LoadingCache;
import com.google.common.eventbus.AsyncEventBus;
import com.google.common.eventbus.Subscribe;
import com.google.common.util.concurrent.RateLimiter;
import com.google.common.util.concurrent.Striped;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;

/** A cache that loads, striped locks and an event bus, used by three threads. */
public class Guava {
    static final AtomicInteger received = new AtomicInteger();

    public static final class Receiver {
        @Subscribe
        public void receive(Integer number) {
            received.addAndGet(number);
        }
    }

    public static void main(String[] args) throws Exception {
        LoadingCache<Integer, String> cache =
            CacheBuilder.newBuilder().maximumSize(20).recordStats().build(CacheLoader.from(key -> "value " + key));
        Striped<Lock> locks = Striped.lock(4);
        int[] counts = new int[4];
        ExecutorService pool = Executors.newFixedThreadPool(2);
        AsyncEventBus bus = new AsyncEventBus(pool);
        bus.register(new Receiver());
        RateLimiter limiter = RateLimiter.create(1e6);
        Work.inThreads(3, number -> {
            for (int i = 0; i < 150; i++) {
                cache.get(i % 30);
                Lock lock = locks.getAt(i % 4);
                lock.lock();
                try {
                    counts[i % 4]++;
                } finally {
                    lock.unlock();
                }
                limiter.acquire();
                if (i % 10 == 0) {
                    bus.post(1);
                }
            }
        });
        pool.shutdown();
        pool.awaitTermination(1, TimeUnit.MINUTES);
        System.out.println(cache.stats().requestCount() + " requests, " + (counts[0] + counts[1] + counts[2] + counts[3])
            + " counted, " + received + " received");
    }
}
