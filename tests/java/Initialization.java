// expect: race=no deadlock=no unordered=no nondet=no
/** A static initializer comes before whoever uses the class; final fields come with their object. */
public class Initialization {
    static final class Holder {
        static int[] table = new int[3];
        static int size;

        static {
            table[1] = 5;
            size = 3;
        }
    }

    static final class Point {
        final int x;

        Point(int x) {
            this.x = x;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread[] threads = new Thread[3];
        Point point = new Point(4);
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                if (Holder.table[1] + Holder.size + point.x != 12) {
                    throw new IllegalStateException();
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
