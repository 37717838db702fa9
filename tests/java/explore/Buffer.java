/** A place for one number, with producers and consumers that wait for each other: while or if, THREADS of each, TIMES. */
public class Buffer {
    private final boolean again;
    private int number;
    private boolean full;

    private Buffer(boolean again) {
        this.again = again;
    }

    private synchronized void put(int value) throws InterruptedException {
        while (full) {
            wait();
            if (!again) {
                break;
            }
        }
        number = value;
        full = true;
        notifyAll();
    }

    private synchronized int take() throws InterruptedException {
        while (!full) {
            wait();
            if (!again) {
                break;
            }
        }
        full = false;
        notifyAll();
        int taken = number;
        number = 0;
        return taken;
    }

    public static void main(String[] args) throws InterruptedException {
        Buffer buffer = new Buffer(args[0].equals("while"));
        int count = Integer.parseInt(args[1]), times = Integer.parseInt(args[2]);
        int[] taken = new int[count];
        Thread[] threads = new Thread[2 * count];
        for (int i = 0; i < 2 * count; i++) {
            int self = i;
            threads[i] = new Thread(() -> {
                try {
                    for (int k = 0; k < times; k++) {
                        if (self < count) {
                            buffer.put(1);
                        } else {
                            taken[self - count] += buffer.take();
                        }
                    }
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            threads[i].start();
        }
        int sum = 0;
        for (Thread thread : threads) {
            thread.join();
        }
        for (int part : taken) {
            sum += part;
        }
        System.out.println(sum);
    }
}
