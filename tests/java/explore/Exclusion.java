/* Mutual exclusion by loops over plain flags, as Peterson, Dekker and Lamport do it, that give up after a few rounds. */
public class Exclusion {
    static final int ROUNDS = 3;
    static volatile boolean zero, one;
    static volatile int turn, first, second, inside, most;

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

    /** Lamport's fast mutex; it does not try again. */
    static void lamport(int me) {
        want(me, true);
        first = me + 1;
        if (second == 0) {
            second = me + 1;
            boolean mine = first == me + 1;
            for (int i = 0; i < ROUNDS && !mine; i++)
                if (!isWantedByOther(me) && second == me + 1)
                    mine = true;
            if (mine) {
                critical();
                second = 0;
            }
        }
        want(me, false);
    }

    static void exclude(char algorithm, int me) {
        switch (algorithm) {
            case 'p' -> peterson(me);
            case 'd' -> dekker(me);
            default -> lamport(me);
        }
    }

    public static void main(String[] words) throws InterruptedException {
        char algorithm = words[0].charAt(0);
        Thread[] threads = new Thread[2];

        for (int i = 0; i < threads.length; i++) {
            int me = i;
            threads[i] = new Thread(() -> exclude(algorithm, me));
        }
        for (Thread t : threads)
            t.start();
        for (Thread t : threads)
            t.join();
        System.out.println(most < 2);
    }
}
