// expect: race=no unordered=no deadlock=no stale=no
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;

/** Methods of the JDK that are called by reflection, by handles and by references with bridges. */
public class Reflected {
    private static final ReentrantLock reflected = new ReentrantLock(), handled = new ReentrantLock(), bound = new ReentrantLock();
    private static int byReflection, byHandle, byBound, published, flagged, referenced;

    interface Step<T> {
        void take(T lock) throws Exception;
    }

    /** A reference that is one of these gets a method for the other interface, too. */
    interface LockStep extends Step<ReentrantLock> {
        @Override
        void take(ReentrantLock lock);
    }

    interface Section {
        void run() throws Throwable;
    }

    /** One thread by itself, one as it always was. */
    static void both(Section one, Section two) throws ReflectiveOperationException {
        Thread[] threads = new Thread[2];
        for (int i = 0; i < 2; i++) {
            Section section = i == 0 ? one : two;
            threads[i] = new Thread(() -> {
                try {
                    for (int k = 0; k < 3; k++) {
                        section.run();
                    }
                } catch (Throwable e) {
                    throw new AssertionError(e);
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            Thread.class.getMethod("join").invoke(thread);
        }
    }

    static void latch() throws Exception {
        CountDownLatch latch = new CountDownLatch(1);
        Method countsDown = CountDownLatch.class.getMethod("countDown");
        AtomicBoolean flag = new AtomicBoolean();
        Method sets = AtomicBoolean.class.getMethod("set", boolean.class);
        Thread thread = new Thread(() -> {
            try {
                published = 4;
                countsDown.invoke(latch);
                flagged = 5;
                sets.invoke(flag, true);
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(e);
            }
        });
        thread.start();
        latch.await();
        System.out.println(published);
        while (!flag.get()) {
            Thread.onSpinWait();
        }
        System.out.println(flagged);
        thread.join();
    }

    public static void main(String[] args) throws Throwable {
        Method locks = ReentrantLock.class.getMethod("lock"), unlocks = ReentrantLock.class.getMethod("unlock");
        both(() -> {
            locks.invoke(reflected);
            byReflection++;
            unlocks.invoke(reflected);
        }, () -> {
            reflected.lock();
            byReflection++;
            reflected.unlock();
        });

        MethodType none = MethodType.methodType(void.class);
        MethodHandle takes = MethodHandles.lookup().findVirtual(ReentrantLock.class, "lock", none);
        MethodHandle leaves = MethodHandles.lookup().findVirtual(ReentrantLock.class, "unlock", none);
        both(() -> {
            takes.invokeExact(handled);
            byHandle++;
            leaves.invokeExact(handled);
        }, () -> {
            handled.lock();
            byHandle++;
            handled.unlock();
        });

        MethodHandle takesIt = takes.bindTo(bound), leavesIt = leaves.bindTo(bound);
        both(() -> {
            takesIt.invokeExact();
            byBound++;
            leavesIt.invokeExact();
        }, () -> {
            bound.lock();
            byBound++;
            bound.unlock();
        });

        ReentrantLock lock = new ReentrantLock();
        LockStep locked = ReentrantLock::lock, unlocked = ReentrantLock::unlock;
        Section section = () -> {
            locked.take(lock);
            referenced++;
            unlocked.take(lock);
        };
        both(section, section);
        latch();
        System.out.println(byReflection + " " + byHandle + " " + byBound + " " + referenced);
    }
}
