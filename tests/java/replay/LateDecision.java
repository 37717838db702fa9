/** A thread that decides on what it read only long afterwards, when others have gone on. */
public class LateDecision {
    static int x, y;
    static volatile boolean looked;

    static int work(int rounds) {
        int sum = 0;
        for (int i = 0; i < rounds; i++) {
            sum = sum * 31 + i;
        }
        return sum;
    }

    public static void main(String[] args) throws InterruptedException {
        Thread late = new Thread(() -> {
            int seen = x + y;
            looked = true;
            if (seen + (work(300_000_000) == 7 ? 1 : 0) != 0) {
                y = 1;
            }
        });
        late.start();
        while (!looked) {
            Thread.sleep(1);
        }
        for (int i = 0; i < 20; i++) {
            Thread.sleep(1);
            y = 2;
        }
        late.join();
        x = 3;
        System.out.println(y);
    }
}
