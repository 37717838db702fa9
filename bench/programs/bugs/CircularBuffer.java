// SCTBench: a ring whose places are claimed under a lock, and written after it
/** The reader may come between. */
public class CircularBuffer {
    private static final int[] ring = new int[4];
    private static int first, last;

    private static synchronized int claim() {
        return last++ & 3;
    }

    private static synchronized int next() {
        return first < last ? first++ & 3 : -1;
    }

    public static void main(String[] args) throws InterruptedException {
        Thread writer = new Thread(() -> {
            for (int i = 1; i <= 3; i++) {
                ring[claim()] = i;
            }
        });
        Thread reader = new Thread(() -> {
            for (int tries = 0; tries < 3; tries++) {
                int place = next();
                if (place >= 0 && ring[place] == 0) {
                    throw new IllegalStateException("nothing there yet");
                }
            }
        });
        writer.start();
        reader.start();
        writer.join();
        reader.join();
    }
}
