/** Threads that race on everything at once: every read must be told with the write that it saw. */
public class Storm {
    private int number;
    private long wide;
    private double real;
    private Object reference;
    private volatile int flag;
    private byte small;
    private char letter;
    private static short counter;
    private static volatile long total;
    private final int[] numbers = new int[4];
    private final boolean[] marks = new boolean[4];
    private final Object[] things = new Object[4];
    private final java.util.concurrent.atomic.AtomicInteger atomic = new java.util.concurrent.atomic.AtomicInteger();

    void blow(int seed, int rounds) {
        Object mine = new Object();
        for (int i = 0; i < rounds; i++) {
            number += seed;
            wide = wide * 3 + number;
            real = real / 2 + i;
            reference = (i & 3) == 0 ? null : mine;
            flag++;
            small += 77;
            letter += 9;
            counter++;
            total += flag;
            numbers[i & 3] ^= seed + i;
            marks[i & 3] = !marks[(i + 1) & 3];
            things[i & 3] = things[(i + 1) & 3] == mine ? reference : mine;
            atomic.addAndGet(atomic.get());
            if (i % 50 == 0) {
                System.arraycopy(numbers, 0, numbers, 1, 3);
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Storm storm = new Storm();
        int rounds = Integer.parseInt(args[0]);
        Thread[] threads = new Thread[4];
        for (int t = 0; t < threads.length; t++) {
            int seed = t + 1;
            threads[t] = new Thread(() -> storm.blow(seed, rounds));
            threads[t].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
