// SCTBench: two variables set one after the other, seen the other way round
public class Reorder {
    private static volatile int a, b;

    public static void main(String[] args) throws InterruptedException {
        Thread[] sets = new Thread[2];
        for (int i = 0; i < sets.length; i++) {
            sets[i] = new Thread(() -> {
                a = 1;
                b = -1;
            });
            sets[i].start();
        }
        Thread looks = new Thread(() -> {
            int seenA = a, seenB = b;
            if (!(seenA == 0 && seenB == 0 || seenA == 1 && seenB == -1)) {
                throw new IllegalStateException("half of it");
            }
        });
        looks.start();
        for (Thread set : sets) {
            set.join();
        }
        looks.join();
    }
}
