/** Much is done by one thread before there is a second one: of that, the last writes are kept. */
public class Startup {
    static int[] table = new int[1000];
    static int shared, rounds;
    static long sum;
    int field;

    static void update() {
        int next = shared + 1;
        shared = next;
    }

    public static void main(String[] args) throws InterruptedException {
        int wanted = Integer.parseInt(args[0]);
        Startup[] objects = new Startup[100];
        for (int i = 0; i < objects.length; i++) {
            objects[i] = new Startup();
        }
        while (rounds < wanted) {
            for (int i = 0; i < table.length; i++) {
                table[i] = table[i] + i;
                objects[i % 100].field += table[i];
            }
            synchronized (table) {
                sum += table[7];
            }
            rounds++;
        }
        int limit = table[3]; // what the threads do stands on start-up
        shared = limit;
        Thread[] threads = new Thread[2];
        for (int k = 0; k < threads.length; k++) {
            threads[k] = new Thread(() -> {
                if (limit > 0 && table[5] > 0 && objects[9].field > 0) {
                    update();
                }
                synchronized (table) {
                    sum += rounds;
                }
            });
        }
        threads[0].start();
        threads[1].start();
        threads[0].join();
        threads[1].join();
        synchronized (table) {
            System.out.println(sum > 0);
        }
    }
}
