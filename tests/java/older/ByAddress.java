// expect: race=no unordered=no deadlock=no stale=no
import java.lang.reflect.Field;
import sun.misc.Unsafe;

/** A spin lock and a published object, by addresses: what libraries do that know no VarHandle. */
public class ByAddress {
    private static final Unsafe UNSAFE;
    private static final long WORD, FIRST = Unsafe.ARRAY_OBJECT_BASE_OFFSET;
    private static final Object[] slots = new Object[1];
    private static int counted;
    private int word;

    static {
        try {
            Field single = Unsafe.class.getDeclaredField("theUnsafe");
            single.setAccessible(true);
            UNSAFE = (Unsafe) single.get(null);
            WORD = UNSAFE.objectFieldOffset(ByAddress.class.getDeclaredField("word"));
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private void count() {
        while (!UNSAFE.compareAndSwapInt(this, WORD, 0, 1)) {
            Thread.onSpinWait();
        }
        counted++;
        UNSAFE.putOrderedInt(this, WORD, 0);
    }

    public static void main(String[] args) throws InterruptedException {
        ByAddress lock = new ByAddress();
        Thread counts = new Thread(lock::count);
        Thread puts = new Thread(() -> {
            int[] made = {0};
            made[0] = 7;
            UNSAFE.putOrderedObject(slots, FIRST, made);
        });
        counts.start();
        puts.start();
        lock.count();
        Object found;
        do {
            found = UNSAFE.getObjectVolatile(slots, FIRST);
        } while (found == null);
        counts.join();
        puts.join();
        System.out.println(counted + " " + ((int[]) found)[0]);
    }
}
