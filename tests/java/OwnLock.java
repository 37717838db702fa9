// expect: race=no deadlock=no unordered=no
import java.util.concurrent.locks.AbstractQueuedSynchronizer;

/** A lock of one's own, made from the JDK's parts; copies of objects are other objects. */
public class OwnLock {
    static final class Mutex extends AbstractQueuedSynchronizer {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean tryAcquire(int unused) {
            return compareAndSetState(0, 1);
        }

        @Override
        protected boolean tryRelease(int unused) {
            setState(0);
            return true;
        }
    }

    static final class Cell implements Cloneable {
        int content = 1;

        Cell copy() {
            try {
                return (Cell) clone();
            } catch (CloneNotSupportedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static int shared;

    public static void main(String[] args) throws InterruptedException {
        Mutex mutex = new Mutex();
        Cell first = new Cell();
        first.content = 2;
        Cell second = first.copy();
        Thread other = new Thread(() -> {
            for (int i = 0; i < 5; i++) {
                mutex.acquire(1);
                shared++;
                mutex.release(1);
                second.content++;
            }
        });
        other.start();
        for (int i = 0; i < 5; i++) {
            mutex.acquire(1);
            shared++;
            mutex.release(1);
            first.content++;
        }
        other.join();
        System.out.println(shared + first.content + second.content);
    }
}
