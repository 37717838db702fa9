/** A thread that does not wait for what it needs. */
public class Uncaught {
    private static volatile String text;

    public static void main(String[] args) throws InterruptedException {
        Thread reader = new Thread(() -> {
            try {
                Thread.sleep(200);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            System.out.println(text.length());
        });
        reader.start();
        text = "four";
        reader.join();
    }
}
