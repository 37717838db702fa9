// SCTBench: pop after a push by a flag that nobody guards
public class StackFlag {
    private static final int[] stack = new int[8];
    private static int top;
    private static boolean pushed;

    public static void main(String[] args) throws InterruptedException {
        Object lock = new Object();
        Thread pushes = new Thread(() -> {
            for (int i = 0; i < 3; i++) {
                synchronized (lock) {
                    stack[top++] = i;
                }
                pushed = true;
            }
        });
        Thread pops = new Thread(() -> {
            for (int i = 0; i < 3; i++) {
                if (pushed) {
                    synchronized (lock) {
                        stack[--top]++;
                    }
                }
            }
        });
        pushes.start();
        pops.start();
        pushes.join();
        pops.join();
    }
}
