// expect: race=no nondet=yes deadlock=no atomicity=no
/** The same account with synchronized methods: the order of deposits is free, nothing else. */
public class AccountLocked {
    private int balance;

    synchronized void deposit(int amount) {
        balance += amount;
    }

    synchronized int balance() {
        return balance;
    }

    public static void main(String[] args) throws InterruptedException {
        AccountLocked account = new AccountLocked();
        Thread[] tellers = new Thread[2];
        for (int i = 0; i < tellers.length; i++) {
            tellers[i] = new Thread(() -> account.deposit(10));
            tellers[i].start();
        }
        for (Thread teller : tellers) {
            teller.join();
        }
        System.out.println(account.balance());
    }
}
