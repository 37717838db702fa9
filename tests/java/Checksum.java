// expect: race=no deadlock=no determinism=no
import heddle.Deterministic;

/** A block that is deterministic: each thread has its part, the sum is taken when both are done. */
public class Checksum {
    private static final long[] parts = new long[2];

    @Deterministic
    static long sum(int[] data) throws InterruptedException {
        Thread[] threads = new Thread[2];
        for (int t = 0; t < 2; t++) {
            int part = t;
            threads[t] = new Thread(() -> {
                for (int i = part; i < data.length; i += 2) {
                    parts[part] += data[i];
                }
            });
            threads[t].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        return parts[0] + parts[1];
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println(sum(new int[] {1, 2, 3, 4, 5}));
    }
}
