// expect: race=no deadlock=no unordered=no
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.StampedLock;

/** Data that comes with an interrupt, or under locks made of handles and updaters, or by functions on atomic variables. */
public class Signals {
    private static final VarHandle LOCKED;
    private static final AtomicIntegerFieldUpdater<Signals> TURN =
        AtomicIntegerFieldUpdater.newUpdater(Signals.class, "turn");

    static {
        try {
            LOCKED = MethodHandles.lookup().findVarHandle(Signals.class, "locked", int.class);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private volatile int locked;
    private volatile int turn;
    private int guarded, taken, stamped, told;
    private final StampedLock stamp = new StampedLock();
    private final AtomicInteger sum = new AtomicInteger();
    private final AtomicReference<String> text = new AtomicReference<>("");

    void work() {
        for (int i = 0; i < 5; i++) {
            while (!LOCKED.compareAndSet(this, 0, 1)) {
                Thread.onSpinWait();
            }
            guarded++;
            LOCKED.setVolatile(this, 0);
            while (!TURN.compareAndSet(this, 0, 1)) {
                Thread.onSpinWait();
            }
            taken++;
            TURN.set(this, 0);
            long mine = stamp.writeLock();
            stamped++;
            stamp.unlockWrite(mine);
            sum.updateAndGet(old -> old * 2 + 1);
            sum.getAndAccumulate(i, Integer::sum);
            text.updateAndGet(old -> old.length() > 3 ? "" : old + "x");
            sum.get();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Signals signals = new Signals();
        Thread other = new Thread(() -> {
            signals.work();
            try {
                Thread.sleep(60_000);
            } catch (InterruptedException e) {
                signals.told++;
            }
        });
        other.start();
        signals.work();
        signals.told = 1;
        other.interrupt();
        other.join();
        System.out.println(signals.guarded + signals.taken + signals.stamped + signals.told);
    }
}
