/** Each thread's first deed in the class is the access that races: it comes after the class's initializer, in one step. */
public class FirstUse {
    static int x;
    static final Object lock = new Object();

    static void look() {
        if (x != 0) {
            System.out.println("seen");
        }
    }

    static void set() {
        synchronized (lock) {
            x = 1;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread zero = new Thread(FirstUse::look), one = new Thread(FirstUse::set);
        zero.start();
        one.start();
        zero.join();
        one.join();
    }
}
