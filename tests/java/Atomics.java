// expect: race=no deadlock=no unordered=no
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** Atomic variables, and data handed over by them. */
public class Atomics {
    static final class Box {
        int content;
    }

    public static void main(String[] args) throws InterruptedException {
        AtomicInteger count = new AtomicInteger();
        AtomicLong sum = new AtomicLong(5);
        AtomicBoolean owned = new AtomicBoolean();
        AtomicIntegerArray slots = new AtomicIntegerArray(3);
        AtomicReference<Box> handed = new AtomicReference<>();
        int[] guarded = new int[1];
        Runnable work = () -> {
            for (int i = 0; i < 20; i++) {
                count.incrementAndGet();
                sum.addAndGet(i);
                slots.getAndIncrement(i % 3);
                while (!owned.compareAndSet(false, true)) {
                    Thread.onSpinWait();
                }
                guarded[0]++;
                owned.set(false);
                while (owned.getAndSet(true)) {
                    Thread.onSpinWait();
                }
                guarded[0]++;
                owned.setRelease(false);
            }
        };
        Thread other = new Thread(() -> {
            work.run();
            Box box;
            while ((box = handed.get()) == null) {
                Thread.onSpinWait();
            }
            box.content++;
        });
        other.start();
        Box box = new Box();
        box.content = 3;
        handed.set(box);
        work.run();
        other.join();
        System.out.println(count.get() + sum.get() + slots.get(0) + guarded[0] + box.content);
    }
}
