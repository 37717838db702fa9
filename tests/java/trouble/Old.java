/** What class files of all versions can say; the tests give it older and older ones. */
public class Old extends Thread {
    private static int count;
    private static final Object LOCK = new Object();
    private final int[] cells = new int[3];

    static synchronized int next(int by) {
        if (by < 0) {
            throw new IllegalArgumentException();
        }
        return count += by;
    }

    synchronized void mark(int at) {
        switch (at) {
        case 0:
            cells[0]++;
            break;
        case 7:
            cells[1]++;
            break;
        default:
            cells[2]--;
        }
    }

    public void run() {
        for (int i = 0; i < 3; i++) {
            try {
                mark(next(i == 1 ? -1 : i));
            } catch (IllegalArgumentException e) {
                synchronized (LOCK) {
                    next(2);
                }
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Old first = new Old();
        Old second = new Old();
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println(next(0));
    }
}
