// expect: race=no assertion=yes
/** A token goes round a ring of three, each step under the lock. It arrives only if the steps come in the order of the ring. */
public class TokenRing {
    static final int MEMBERS = 3;
    static final int[] token = {1, 2, 3};
    static int passed;

    static synchronized void pass(int i) {
        token[i] = i == 0 ? token[MEMBERS - 1] + 1 : token[i - 1];
        passed++;
    }

    static synchronized void look() {
        if (passed == MEMBERS && (token[0] != token[1] || token[1] != token[2]))
            throw new AssertionError("the token is lost");
    }

    public static void main(String[] args) throws InterruptedException {
        Thread[] threads = new Thread[MEMBERS + 1];
        for (int i = 0; i <= MEMBERS; i++) {
            int member = i;
            threads[i] = new Thread(member < MEMBERS ? () -> pass(member) : TokenRing::look);
            threads[i].start();
        }
        for (Thread thread : threads)
            thread.join();
        System.out.println("round");
    }
}
