// JPF: whoever finds the bridge free goes, and nobody holds it meanwhile
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

public class Crossing {
    private static final AtomicBoolean free = new AtomicBoolean(true);
    private static final AtomicInteger on = new AtomicInteger();

    private static void cross() {
        if (free.get()) {
            free.set(false);
            if (on.incrementAndGet() > 1) {
                throw new IllegalStateException("two on the bridge");
            }
            on.decrementAndGet();
            free.set(true);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread one = new Thread(Crossing::cross), other = new Thread(Crossing::cross);
        one.start();
        other.start();
        one.join();
        other.join();
    }
}
