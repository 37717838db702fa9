// expect: race=yes nondet=yes deadlock=no
/** A bank account without a lock: deposits get lost. */
public class Account {
    private int balance;

    void deposit(int amount) {
        balance += amount;
    }

    public static void main(String[] args) throws InterruptedException {
        Account account = new Account();
        Thread[] tellers = new Thread[2];
        for (int i = 0; i < tellers.length; i++) {
            tellers[i] = new Thread(() -> account.deposit(10));
            tellers[i].start();
        }
        for (Thread teller : tellers) {
            teller.join();
        }
        System.out.println(account.balance > 0 ? "done" : "empty");
    }
}
