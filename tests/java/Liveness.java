// expect: race=no deadlock=no
/** A chain of stages, each with its lock: one waits until the one before has handed over. Stages, rounds may be given. */
public class Liveness {
    static final class Stage {
        private int items, sum;

        synchronized void put(int value) {
            items++;
            sum += value;
            notify();
        }

        /** Whoever takes the last item takes the sum. */
        synchronized int get() throws InterruptedException {
            while (items == 0) {
                wait();
            }
            int value = 0;
            if (--items == 0) {
                value = sum;
                sum = 0;
            }
            return value;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Stage[] stages = new Stage[(args.length > 0 ? Integer.parseInt(args[0]) : 4) + 1];
        int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 2, sum = 0;
        for (int i = 0; i < stages.length; i++) {
            stages[i] = new Stage();
        }
        Thread[] threads = new Thread[stages.length - 1];
        for (int i = 0; i < threads.length; i++) {
            Stage from = stages[i], to = stages[i + 1];
            threads[i] = new Thread(() -> {
                try {
                    for (int round = 0; round < rounds; round++) {
                        to.put(from.get());
                    }
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            threads[i].start();
        }
        for (int round = 1; round <= rounds; round++) {
            stages[0].put(round);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        for (int round = 0; round < rounds; round++) {
            sum += stages[threads.length].get();
        }
        System.out.println(sum == rounds * (rounds + 1) / 2);
    }
}
