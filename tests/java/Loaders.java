// expect: race=yes deadlock=no
/** Each thread asks a class loader of its own, which the machine locks: that is no way to hear of the other. */
public class Loaders {
    private static int asked;

    static final class Empty extends ClassLoader {
        Empty() {
            super(null);
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            throw new ClassNotFoundException(name);
        }
    }

    private static void ask(Empty loader) {
        try {
            loader.loadClass("no.such.Class");
        } catch (ClassNotFoundException e) {
            // as it should
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread first = new Thread(() -> {
            asked++;
            ask(new Empty());
        });
        Thread second = new Thread(() -> {
            try {
                Thread.sleep(100);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            ask(new Empty());
            asked++;
        });
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println(asked);
    }
}
