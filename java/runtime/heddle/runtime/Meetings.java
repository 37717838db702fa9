package heddle.runtime;

import java.util.Arrays;
import java.util.concurrent.CyclicBarrier;

/**
 * Threads that meet at barriers again and again, in the passes of {@link Light}. When as many threads as a barrier waits for come
 * to it, and no others ever do, each leaves it only after all of them came: what one did before the meeting comes before what
 * another does after it, in whatever order they run. The first threads of a phase that are seen to meet so are its members, and
 * only meetings of all of them count. If somebody else comes to such a barrier, or a thread does not come back from one as it
 * should, the run is worth nothing.
 */
final class Meetings {
    /** A barrier, who waits there, and who has been there in this phase. */
    private static final class Place {
        final CyclicBarrier barrier;
        State[] there = {};
        boolean counts; // members met here
        boolean others; // somebody else was here: who meets whom is chance

        Place(CyclicBarrier barrier) {
            this.barrier = barrier;
        }
    }

    /** Whether meetings are looked at. */
    static boolean looked;

    /** Of this phase: members, by number, or null, and how many; barriers. */
    private static volatile boolean[] members;
    private static int size;
    private static Place[] places = {};
    private static boolean told;

    private Meetings() {
    }

    static boolean has(int number) {
        boolean[] those = members;
        return those != null && number < those.length && those[number];
    }

    /** Another phase begins. */
    static void forget() {
        members = null;
        places = new Place[0];
    }

    /** What meetings ordered is not known. */
    private static void trouble(State state) {
        if (!told) {
            told = true;
            Light.noMeetings(state);
        }
    }

    /** The thread is about to wait at the barrier. */
    static void arrives(State state, Object barrier) {
        if (!looked || state == null || barrier == null || barrier.getClass() != CyclicBarrier.class) {
            return;
        }
        if (Light.checks) { // what others do afterwards depends on all that it read
            state.labels.byAll();
        }
        synchronized (Light.class) {
            Place place = place((CyclicBarrier) barrier);
            if (state.barrier != null || place.counts && !state.meets || isThere(place, state)) {
                trouble(state);
            }
            state.barrier = barrier;
            place.there = Arrays.copyOf(place.there, place.there.length + 1);
            place.there[place.there.length - 1] = state;
            if (place.there.length == place.barrier.getParties()) {
                meet(place);
                place.there = new State[0];
            }
        }
    }

    /** The thread has come back. The clock is that of the meeting: the next one needs this thread, too. */
    static void leaves(State state, Object barrier) {
        if (!looked || state == null || state.barrier != barrier) {
            return;
        }
        synchronized (Light.class) {
            if (isThere(place((CyclicBarrier) barrier), state)) {
                trouble(state); // others were not seen to come
            }
            state.barrier = null;
            Light.remark(state);
        }
    }

    /** The thread ends. If it did not come back from a barrier, that was broken. */
    static void ends(State state) {
        if (state.barrier != null) {
            synchronized (Light.class) {
                trouble(state);
            }
        }
    }

    private static boolean isThere(Place place, State state) {
        for (State other : place.there) {
            if (other == state) {
                return true;
            }
        }
        return false;
    }

    private static Place place(CyclicBarrier barrier) {
        for (Place place : places) {
            if (place.barrier == barrier) {
                return place;
            }
        }
        Place made = new Place(barrier);
        places = Arrays.copyOf(places, places.length + 1);
        places[places.length - 1] = made;
        return made;
    }

    /** All have come that the barrier waits for. */
    private static void meet(Place place) {
        if (members == null && !place.others && place.there.length > 1) {
            choose(place.there);
        }
        int known = 0;
        for (State state : place.there) {
            known += has(state.number) ? 1 : 0;
        }
        place.others |= known < place.there.length;
        if (!place.others && known == size && Light.met(place.there)) {
            place.counts = true;
            for (State state : place.there) {
                state.meets = true;
            }
        }
    }

    private static void choose(State[] those) {
        boolean[] made = {};
        for (State state : those) {
            made = state.number < made.length ? made : Arrays.copyOf(made, state.number + 1);
            made[state.number] = true;
        }
        size = those.length;
        members = made;
    }
}
