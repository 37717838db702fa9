// expect: race=no assertion=yes
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** A deque for stealing work: its owner takes from the bottom, thieves from the top. For the last item the owner does not
 *  ask the thieves: both may get it. */
public class Deque {
    static final int ITEMS = 4, THIEVES = 2;
    static final AtomicInteger top = new AtomicInteger(), bottom = new AtomicInteger(ITEMS);
    static final AtomicIntegerArray taken = new AtomicIntegerArray(ITEMS);

    static void take(int item) {
        if (taken.getAndIncrement(item) != 0)
            throw new AssertionError("item " + item + " taken twice");
    }

    static void steal() {
        for (int tries = 0; tries < 3; tries++) {
            int first = top.get(), end = bottom.get();
            if (first < end && top.compareAndSet(first, first + 1))
                take(first);
        }
    }

    /** Takes the youngest item; -1 when none is left. */
    static int pop() {
        int last = bottom.decrementAndGet();
        if (top.get() <= last)
            return last;
        bottom.set(last + 1);
        return -1;
    }

    public static void main(String[] args) throws InterruptedException {
        Thread[] thieves = new Thread[THIEVES];
        for (int i = 0; i < THIEVES; i++) {
            thieves[i] = new Thread(Deque::steal);
            thieves[i].start();
        }
        for (int item; (item = pop()) >= 0;)
            take(item);
        for (Thread thief : thieves)
            thief.join();
        System.out.println("worked");
    }
}
