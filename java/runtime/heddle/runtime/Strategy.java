package heddle.runtime;

import java.util.ArrayList;

/** Which thread goes on: along a schedule, or drawn from a seed. */
public final class Strategy {
    /** No preemption; some at random steps; a walk that may switch at every step; random priorities (PCT). */
    public static final int NONE = 0, FEW = 1, WALK = 2, PRIORITIES = 3;

    private static final int PATIENCE = 5000, PLACES = 1 << 16;

    /** Which fields threads share, learned over runs: what one thread touches alone, or nobody writes, is no place to switch. */
    private static final boolean[] shared = new boolean[PLACES];
    private static final int[] users = new int[PLACES];
    private static final boolean[] many = new boolean[PLACES], wrote = new boolean[PLACES];
    private static int runs;

    private final int kind;
    private final Schedule script;
    private int at;
    private long drawn;

    /** Steps at which something changes, ascending. */
    private final long[] changes;
    private int changed;
    private int demoted;
    private final int walk;

    long points;
    private long since;
    boolean reconsider;

    /** What the run did differently from the schedule that it followed; null: nothing. */
    public String diverged;

    public static Strategy along(Schedule schedule) {
        return new Strategy(NONE, schedule, schedule.seed, 0, 0);
    }

    /** `expected` steps are drawn from for `count` changes. */
    public static Strategy drawn(int kind, long seed, int count, long expected) {
        return new Strategy(kind, null, seed, count, expected);
    }

    private Strategy(int kind, Schedule script, long seed, int count, long expected) {
        this.kind = kind;
        this.script = script;
        drawn = (seed + 1) * 0x9e3779b97f4a7c15L | 1;
        draw(2);
        draw(2);
        changes = new long[kind == FEW || kind == PRIORITIES ? count : 0];
        for (int i = 0; i < changes.length; i++) {
            changes[i] = 1 + draw((int) Math.max(1, Math.min(expected, 1 << 30)));
        }
        java.util.Arrays.sort(changes);
        walk = 1 << draw(5);
        runs++;
    }

    private int draw(int below) {
        drawn ^= drawn << 13;
        drawn ^= drawn >>> 7;
        drawn ^= drawn << 17;
        return (int) ((drawn >>> 33) % below);
    }

    void meet(Worker worker) {
        worker.priority = kind == PRIORITIES ? 1 + draw(1 << 20) : 0;
        reconsider = true;
    }

    /** Whether a thread may be stopped at this place: bit 0 is set where it writes; 0 stands for any thread's. */
    private static boolean matters(int place, int id) {
        int field = place >>> 1 & PLACES - 1;
        if (place == 0 || shared[field]) {
            return true;
        }
        int user = runs << 10 | id & 1023;
        if (users[field] >>> 10 != user >>> 10) {
            users[field] = user;
            many[field] = wrote[field] = false;
        }
        many[field] |= users[field] != user;
        wrote[field] |= (place & 1) != 0;
        return shared[field] = many[field] && wrote[field];
    }

    /** At a step of the thread that has the turn: whether another is to be chosen. */
    boolean stops(Worker worker, int place) {
        if (script != null) {
            return at < script.size() && script.from(at) == worker.id && script.steps(at) == worker.count;
        }
        if (++since > PATIENCE) { // it may wait for another thread to change something
            worker.lazy = true;
            worker.priority = --demoted;
            return true;
        }
        if (!matters(place, worker.id)) {
            return false;
        }
        points++;
        if (changed < changes.length && points >= changes[changed]) {
            changed++;
            if (kind == PRIORITIES) {
                worker.priority = --demoted;
            }
            return true;
        }
        return kind == WALK && draw(walk) == 0 || kind == PRIORITIES && (reconsider || place == 0);
    }

    void yields(Worker worker) {
        worker.lazy = true;
        worker.priority = kind == PRIORITIES ? --demoted : worker.priority;
    }

    /** One of those that can go on; `current` is among them unless it blocks, and goes on unless something is against it. */
    Worker choose(ArrayList<Worker> able, Worker current, boolean preempts) {
        Worker next = script != null ? scripted(able, current) : kind == PRIORITIES ? highest(able)
            : kind == NONE && able.contains(current) && !current.lazy ? current : any(able, current, preempts);
        if (next != current) {
            since = 0;
        }
        reconsider = false;
        next.lazy = false;
        return next;
    }

    private Worker scripted(ArrayList<Worker> able, Worker current) {
        boolean here = at < script.size() && current != null && script.from(at) == current.id
            && script.steps(at) == current.count;
        if (here) {
            int to = script.to(at++);
            for (Worker worker : able) {
                if (worker.id == to) {
                    return worker;
                }
            }
        }
        if (current != null && able.contains(current) && !here) {
            return current;
        }
        if (diverged == null) {
            diverged = (current == null ? "a thread" : current.thread.getName() + " after " + current.count + " steps")
                + (here ? ": the next thread of the schedule cannot go on" : " stops where the schedule goes on");
        }
        return able.get(0);
    }

    private static Worker highest(ArrayList<Worker> able) {
        Worker best = able.get(0);
        for (Worker worker : able) {
            if (worker.priority > best.priority) {
                best = worker;
            }
        }
        return best;
    }

    private Worker any(ArrayList<Worker> able, Worker current, boolean preempts) {
        ArrayList<Worker> eager = new ArrayList<>();
        for (Worker worker : able) {
            if (!worker.lazy && !(preempts && worker == current)) {
                eager.add(worker);
            }
        }
        if (eager.isEmpty()) {
            eager = able;
        }
        return eager.get(kind == NONE ? 0 : draw(eager.size()));
    }

    /** Which of those that wait is notified. */
    int chooseNotified(int count, Worker current) {
        if (script == null) {
            return kind == NONE ? 0 : draw(count);
        }
        if (at < script.size() && script.from(at) == current.id && script.steps(at) == current.count
            && script.to(at) < 0 && -1 - script.to(at) < count) {
            return -1 - script.to(at++);
        }
        return 0;
    }
}
