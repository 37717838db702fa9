// expect: race=no unordered=no deadlock=no
import java.lang.ref.Cleaner;
import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** What was done to an object is done when the collector has found that nobody can get at it any more. */
public class Cleaned {
    private static final Cleaner CLEANER = Cleaner.create();
    private static final ReferenceQueue<Object> QUEUE = new ReferenceQueue<>();
    private static final AtomicInteger cleaned = new AtomicInteger();
    private static final AtomicInteger found = new AtomicInteger();

    /** What has to be given back. */
    private static final class Handle implements Runnable {
        int number;

        @Override
        public void run() {
            number = 0;
            cleaned.incrementAndGet();
        }
    }

    /** Tells when its object is gone. */
    private static final class Gone extends PhantomReference<Object> {
        int size;

        Gone(Object object) {
            super(object, QUEUE);
            size = 1;
        }
    }

    private static void make(Set<Gone> all) {
        for (int i = 0; i < 5; i++) {
            Object object = new Object();
            Handle handle = new Handle();
            CLEANER.register(object, handle);
            handle.number = i + 1;
            Gone gone = new Gone(object);
            gone.size += i;
            all.add(gone);
            Reference.reachabilityFence(object);
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Set<Gone> all = new HashSet<>();
        Thread finder = new Thread(() -> {
            try {
                for (int i = 0; i < 5; i++) {
                    ((Gone) QUEUE.remove()).size = 0;
                    found.incrementAndGet();
                }
            } catch (InterruptedException e) {
                return;
            }
        });
        finder.start();
        make(all);
        for (int i = 0; i < 2000 && (cleaned.get() < 5 || found.get() < 5); i++) {
            System.gc();
            Thread.sleep(5);
        }
        finder.interrupt();
        finder.join();
        System.out.println(all.size());
    }
}
