// expect: race=no deadlock=no unordered=no
/** A volatile flag hands data over. */
public class VolatileFlag {
    private static int data;
    private static volatile boolean ready;

    public static void main(String[] args) throws InterruptedException {
        Thread reader = new Thread(() -> {
            while (!ready) {
                Thread.onSpinWait();
            }
            System.out.println(data);
        });
        reader.start();
        data = 42;
        ready = true;
        reader.join();
    }
}
