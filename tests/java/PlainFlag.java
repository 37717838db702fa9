// expect: race=yes deadlock=no
/** The same with a plain flag. */
public class PlainFlag {
    private static int data;
    private static boolean ready;

    public static void main(String[] args) throws InterruptedException {
        Thread reader = new Thread(() -> System.out.println(ready && data == 0 ? "early" : "fine"));
        data = 42;
        reader.start();
        ready = true;
        reader.join();
    }
}
