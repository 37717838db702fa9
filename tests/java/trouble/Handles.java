import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/** Data handed over by volatile fields that are written in ways which do not tell the field. */
public class Handles {
    private volatile int lock, flag;
    private int data;

    private static void both(Runnable one, Runnable two) throws InterruptedException {
        Thread first = new Thread(one), second = new Thread(two);
        first.start();
        second.start();
        first.join();
        second.join();
    }

    public static void main(String[] args) throws Exception {
        AtomicIntegerFieldUpdater<Handles> updater = AtomicIntegerFieldUpdater.newUpdater(Handles.class, "lock");
        VarHandle handle = MethodHandles.lookup().findVarHandle(Handles.class, "flag", int.class);
        Handles handles = new Handles();
        Runnable locked = () -> {
            for (int i = 0; i < 10; i++) {
                while (!updater.compareAndSet(handles, 0, 1)) {
                    Thread.onSpinWait();
                }
                handles.data++;
                handles.lock = 0;
            }
        };
        both(locked, locked);
        both(() -> {
            handles.data++;
            handle.setVolatile(handles, 1);
        }, () -> {
            while (handles.flag == 0) {
                Thread.onSpinWait();
            }
            handles.data++;
        });
        System.out.println(handles.data);
    }
}
