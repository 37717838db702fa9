// expect: race=no deadlock=no stale=no
/** The stock is looked at and taken from in one critical section. */
public class ShopOneSection {
    private static final Object lock = new Object();
    private static int stock = 2;

    private static void buy() {
        synchronized (lock) {
            if (stock > 0) {
                stock--;
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread customer = new Thread(ShopOneSection::buy), other = new Thread(ShopOneSection::buy);
        customer.start();
        other.start();
        customer.join();
        other.join();
        System.out.println(stock);
    }
}
