// expect: race=no deadlock=no stale=yes
/** The stock is looked at in one critical section and taken from in another: two customers take the last piece. */
public class ShopTwoSections {
    private static final Object lock = new Object();
    private static int stock = 1;

    private static void buy() {
        boolean left;
        synchronized (lock) {
            left = stock > 0;
        }
        try {
            Thread.sleep(200);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        if (left) {
            synchronized (lock) {
                stock--;
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread customer = new Thread(ShopTwoSections::buy), other = new Thread(ShopTwoSections::buy);
        customer.start();
        other.start();
        customer.join();
        other.join();
        System.out.println(stock < 1);
    }
}
