/** Millions of private accesses; then two threads race for a field and an array that one of them had to itself until then. */
public class LateSharing {
    private int late;
    private final int[] numbers = new int[4];

    private void work(int rounds) {
        for (int i = 0; i < rounds; i++) {
            late++;
            numbers[i & 3] += i;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        LateSharing object = new LateSharing();
        Thread first = new Thread(() -> object.work(500_000));
        Thread second = new Thread(() -> {
            LateSharing own = new LateSharing();
            own.work(500_000);
            object.work(3);
        });
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println(object.late > 0);
    }
}
