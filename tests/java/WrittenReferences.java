// expect: race=no unordered=no deadlock=no
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** References to methods of the JDK that can be written to a stream order threads as others do, and can be read again. */
public class WrittenReferences {
    interface Action extends Serializable {
        void act() throws Exception;
    }

    interface Take<T> extends Serializable {
        T take(BlockingQueue<T> from) throws Exception;
    }

    static int handed, taken;

    static Object copied(Object written) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(written);
        }
        if (bytes.toString("ISO-8859-1").contains("heddle")) {
            throw new AssertionError("the stream names what is not the program's");
        }
        return new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
    }

    static void inThreads(Action one, Action two) throws Exception {
        Thread[] threads = new Thread[2];
        for (int i = 0; i < 2; i++) {
            Action action = i == 0 ? one : two;
            threads[i] = new Thread(() -> {
                try {
                    action.act();
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    @SuppressWarnings("unchecked")
    public static void main(String[] arguments) throws Exception {
        Semaphore semaphore = new Semaphore(0);
        Action release = semaphore::release, acquire = semaphore::acquire;
        inThreads(() -> {
            handed = 1;
            release.act();
        }, () -> {
            acquire.act();
            handed++;
        });

        Take<int[]> take = (Take<int[]>) copied((Take<int[]>) BlockingQueue<int[]>::take);
        BlockingQueue<int[]> queue = new java.util.concurrent.ArrayBlockingQueue<>(1);
        inThreads(() -> queue.put(new int[] {2}), () -> taken = take.take(queue)[0]++);

        ArrayList<String> list = new ArrayList<>();
        ((Consumer<String>) copied((Consumer<String> & Serializable) list::add)).accept("its own list");
        Supplier<ArrayList<String>> make = (Supplier<ArrayList<String>>) copied((Supplier<ArrayList<String>> & Serializable) ArrayList::new);
        System.out.println(handed + " " + taken + " " + list + make.get());
    }
}
