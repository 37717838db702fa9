// expect: race=no nondet=yes deadlock=no
/** Philosophers who wait until both forks are on the table and take them in one step. Their number and meals may be given. */
public class PhilosophersWaiting {
    private final boolean[] taken;
    private int eaten;

    PhilosophersWaiting(int philosophers) {
        taken = new boolean[philosophers];
    }

    synchronized void take(int left, int right) throws InterruptedException {
        while (taken[left] || taken[right]) {
            wait();
        }
        taken[left] = true;
        taken[right] = true;
    }

    synchronized void putDown(int left, int right) {
        taken[left] = false;
        taken[right] = false;
        eaten++;
        notifyAll();
    }

    public static void main(String[] args) throws InterruptedException {
        int philosophers = args.length > 0 ? Integer.parseInt(args[0]) : 3;
        int meals = args.length > 1 ? Integer.parseInt(args[1]) : 2;
        PhilosophersWaiting table = new PhilosophersWaiting(philosophers);
        Thread[] threads = new Thread[philosophers];
        for (int i = 0; i < philosophers; i++) {
            int left = i, right = (i + 1) % philosophers;
            threads[i] = new Thread(() -> {
                try {
                    for (int meal = 0; meal < meals; meal++) {
                        table.take(left, right);
                        table.putDown(left, right);
                    }
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(table.eaten == philosophers * meals);
    }
}
