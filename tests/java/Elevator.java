// expect: race=no nondet=yes deadlock=no stale=no
/** Lifts serve calls from floors; each floor's buttons have a lock of their own. Ticks and lifts may be given. */
public class Elevator {
    private static final int FLOORS = 6;

    static final class Floor {
        private int waiting, target;

        Floor(int waiting, int target) {
            this.waiting = waiting;
            this.target = target;
        }

        /** Where the next passenger wants to go, or -1 when nobody waits. */
        synchronized int board() {
            if (waiting == 0) {
                return -1;
            }
            waiting--;
            target = (target + 1) % FLOORS;
            return target;
        }

        synchronized void call(int to) {
            waiting++;
            target = to;
        }
    }

    static final class Lift extends Thread {
        private final Floor[] floors;
        private final int[] load = new int[FLOORS]; // passengers by target
        private final int ticks;
        private int at, step = 1, carried;

        Lift(Floor[] floors, int ticks) {
            this.floors = floors;
            this.ticks = ticks;
        }

        @Override
        public void run() {
            for (int i = 0; i < ticks; i++) {
                serve();
                if (at + step < 0 || at + step >= FLOORS) {
                    step = -step;
                }
                at += step;
            }
        }

        private void serve() {
            int target = floors[at].board();
            if (target >= 0) {
                load[target]++;
            }
            if (load[at] > 0) { // who gets out calls again from there
                floors[at].call((at + 1) % FLOORS);
            }
            carried += load[at];
            load[at] = 0;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int ticks = args.length > 0 ? Integer.parseInt(args[0]) : 14;
        Lift[] lifts = new Lift[args.length > 1 ? Integer.parseInt(args[1]) : 3];
        Floor[] floors = new Floor[FLOORS];
        int carried = 0;
        for (int i = 0; i < FLOORS; i++) {
            floors[i] = new Floor(2 + i % 3, (i * 5 + 2) % FLOORS);
        }
        for (int i = 0; i < lifts.length; i++) {
            lifts[i] = new Lift(floors, ticks);
            lifts[i].start();
        }
        for (Lift lift : lifts) {
            lift.join();
            carried += lift.carried;
        }
        System.out.println(carried > 0);
    }
}
