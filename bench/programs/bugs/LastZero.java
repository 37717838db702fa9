// SCTBench: who looks for the last zero of an array that others write meanwhile
public class LastZero {
    private static final int[] array = new int[6];

    public static void main(String[] args) throws InterruptedException {
        Thread[] threads = new Thread[array.length];
        threads[0] = new Thread(() -> {
            int i = array.length - 1;
            while (array[i] != 0) {
                i--;
            }
            if (array[i] != 0) {
                throw new IllegalStateException("not zero any more");
            }
        });
        for (int i = 1; i < threads.length; i++) {
            int me = i;
            threads[i] = new Thread(() -> array[me] = array[me - 1] + 1);
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
