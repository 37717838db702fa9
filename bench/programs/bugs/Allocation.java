// JMCR: a free block is looked for under the lock, and marked under it later
public class Allocation {
    private static final boolean[] used = new boolean[2];

    private static synchronized int free() {
        for (int i = 0; i < used.length; i++) {
            if (!used[i]) {
                return i;
            }
        }
        return -1;
    }

    private static synchronized void mark(int block) {
        if (used[block]) {
            throw new IllegalStateException("given twice");
        }
        used[block] = true;
    }

    public static void main(String[] args) throws InterruptedException {
        Thread one = new Thread(() -> mark(free())), other = new Thread(() -> mark(free()));
        one.start();
        other.start();
        one.join();
        other.join();
    }
}
