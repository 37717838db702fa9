/* Mutual exclusion by loops over plain flags, as Peterson and Dekker do it, that give up after a few rounds. */
public class Exclusion {
    static final int ROUNDS = 2;
    static volatile boolean zero, one;
    static volatile int turn, inside, most;

    static void want(int me, boolean wanted) {
        if (me == 0)
            zero = wanted;
        else
            one = wanted;
    }

    static boolean isWantedByOther(int me) {
        return me == 0 ? one : zero;
    }

    static void critical() {
        inside = inside + 1;
        if (inside > most)
            most = inside;
        inside = inside - 1;
    }

    static void peterson(int me) {
        want(me, true);
        turn = 1 - me;
        for (int i = 0; i < ROUNDS; i++)
            if (!isWantedByOther(me) || turn == me) {
                critical();
                break;
            }
        want(me, false);
    }

    static void dekker(int me) {
        want(me, true);
        for (int i = 0; i < ROUNDS && isWantedByOther(me); i++)
            if (turn != me) {
                want(me, false);
                if (turn != me)
                    return;
                want(me, true);
            }
        if (!isWantedByOther(me))
            critical();
        turn = 1 - me;
        want(me, false);
    }

    public static void main(String[] words) throws InterruptedException {
        boolean dekker = words[0].equals("dekker");
        Thread[] threads = new Thread[2];

        for (int i = 0; i < threads.length; i++) {
            int me = i;
            threads[i] = dekker ? new Thread(() -> dekker(me)) : new Thread(() -> peterson(me));
        }
        for (Thread t : threads)
            t.start();
        for (Thread t : threads)
            t.join();
        System.out.println(most < 2);
    }
}
