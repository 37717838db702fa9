/** Two threads, a little work each. */
public class Meeting {
    private static int count;

    private static void work() {
        for (int i = 0; i < 100; i++) {
            count++;
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Thread first = new Thread(Meeting::work), second = new Thread(Meeting::work);
        first.start();
        second.start();
        first.join();
        second.join();
    }
}
