// JMCR: neighbours are exchanged by threads of which each locks one place
public class BubbleSort {
    private static final int[] numbers = {4, 3, 2, 1};
    private static final Object[] locks = {new Object(), new Object(), new Object()};

    private static void exchange(int i) {
        synchronized (locks[i]) {
            if (numbers[i] > numbers[i + 1]) {
                int first = numbers[i];
                numbers[i] = numbers[i + 1];
                numbers[i + 1] = first;
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.length; i++) {
            int place = i;
            threads[i] = new Thread(() -> exchange(place));
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
