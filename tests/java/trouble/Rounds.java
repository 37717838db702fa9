/** Prints the least time that a round of accesses takes, in milliseconds. */
public class Rounds {
    private final int[] numbers = new int[1000];
    private long sum;
    private int calls;

    private synchronized void count() {
        calls++;
    }

    private void round() {
        for (int k = 0; k < 3000; k++) {
            for (int i = 1; i < numbers.length; i++) {
                numbers[i] += numbers[i - 1] + k;
                sum += numbers[i];
            }
        }
        for (int i = 0; i < 500_000; i++) {
            count();
        }
    }

    public static void main(String[] arguments) throws Exception {
        Rounds rounds = new Rounds();
        long least = Long.MAX_VALUE;
        Thread other = new Thread(rounds::count);
        other.start();
        other.join();
        for (int i = 0; i < 12; i++) {
            long start = System.nanoTime();
            rounds.round();
            least = Math.min(least, System.nanoTime() - start);
        }
        System.out.println(least / 1_000_000);
    }
}
