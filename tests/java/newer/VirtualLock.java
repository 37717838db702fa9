/** Virtual threads take two monitors in opposite orders. */
public class VirtualLock {
    private static int value;

    public static void main(String[] args) throws InterruptedException {
        Object left = new Object(), right = new Object();
        Thread first = Thread.startVirtualThread(() -> {
            synchronized (left) {
                synchronized (right) {
                    value++;
                }
            }
        });
        Thread second = Thread.startVirtualThread(() -> {
            synchronized (right) {
                synchronized (left) {
                    value++;
                }
            }
        });
        first.join();
        second.join();
        System.out.println(value);
    }
}
