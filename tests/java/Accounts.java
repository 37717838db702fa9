// expect: race=yes nondet=yes deadlock=no
/**
 * Each client moves money from its account to the next one's, both locked in the order of their numbers; when done it
 * looks at the other account without a lock. Clients and transfers may be given.
 */
public class Accounts {
    static final class Holding {
        private int balance = 100;
    }

    private static void move(Holding from, Holding to, Holding first, Holding second) {
        synchronized (first) {
            synchronized (second) {
                from.balance -= 10;
                to.balance += 10;
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int clients = args.length > 0 ? Integer.parseInt(args[0]) : 4;
        int transfers = args.length > 1 ? Integer.parseInt(args[1]) : 2;
        Holding[] accounts = new Holding[clients];
        int[] seen = new int[clients];
        for (int i = 0; i < clients; i++) {
            accounts[i] = new Holding();
        }
        Thread[] threads = new Thread[clients];
        for (int i = 0; i < clients; i++) {
            int number = i, next = (i + 1) % clients;
            threads[i] = new Thread(() -> {
                for (int t = 0; t < transfers; t++) {
                    move(accounts[number], accounts[next], accounts[Math.min(number, next)], accounts[Math.max(number, next)]);
                }
                seen[number] = accounts[next].balance;
            });
            threads[i].start();
        }
        int sum = 0;
        for (int i = 0; i < clients; i++) {
            threads[i].join();
            sum += seen[i];
        }
        System.out.println(sum != 1);
    }
}
