package heddle.runtime;

import java.util.ArrayList;
import java.util.IdentityHashMap;

/** One run of a test in which one thread at a time makes progress: that whose turn it is. */
public final class Run {
    static final Object LOCK = new Object();

    private static final int STEPS_AFTER_END = 20000;
    private static final long TICK_NANOS = 100, START_NANOS = 1_000_000_000L;

    /** All threads that were ever controlled and have not ended. */
    static final IdentityHashMap<Thread, Worker> workers = new IdentityHashMap<>();

    /** The run that goes on, or null. */
    static Run active;

    /** What a test is. */
    public interface Body {
        void call() throws Throwable;
    }

    final Strategy strategy;
    final Schedule made = new Schedule();
    final boolean explains;
    private final Names names = new Names();
    final Blocking blocking = new Blocking(this);
    final ArrayList<Worker> members = new ArrayList<>();
    final ArrayList<Worker> able = new ArrayList<>();

    /** Those that the run did not wait for: woken up to end. */
    private final ArrayList<Worker> left = new ArrayList<>();
    private int ids;
    private int alive;
    int detached;
    boolean wasDetached;

    /** The thread that watches the run; since when nobody could go on; whether time-outs need not wait for outsiders. */
    Thread watcher;
    long idleSince;
    boolean isPatient;
    long clock = START_NANOS;
    long switches;
    volatile boolean over;
    private Throwable failure;
    private String trouble;
    private int stepsAfterEnd;
    private boolean ending;
    private long drawn;

    /** On which all its threads run. */
    final int processor = Turns.processor();

    private Run(Strategy strategy, long seed, boolean explains) {
        this.strategy = strategy;
        this.explains = explains;
        made.seed = seed;
        drawn = seed;
    }

    /** Runs the body; returns when it is over, or cannot be. `limit`: nanoseconds; 0: as long as it takes. */
    public static Run of(Body body, Strategy strategy, long seed, long limit, boolean explains) {
        Run run = new Run(strategy, seed, explains);
        run.watcher = Thread.currentThread();
        Turns.pin(run.processor);
        Thread root = new Thread(null, () -> run.perform(body), Thread.currentThread().getName());
        root.setDaemon(true);
        root.setContextClassLoader(Thread.currentThread().getContextClassLoader());
        synchronized (LOCK) {
            if (active != null) {
                throw new IllegalStateException("heddle: another test is running under control in this virtual machine");
            }
            active = run;
            run.enroll(root);
        }
        root.start();
        synchronized (LOCK) {
            run.hand(run.members.get(0));
        }
        run.members.get(0).wake();
        new Watcher(run).watch(limit);
        Kept.endUnused(run);
        for (Worker worker : run.left) {
            worker.wakeToLeave();
        }
        Turns.pin(-1);
        return run;
    }

    /** What went wrong: an exception of the test or of one of its threads; null: nothing of this kind. */
    public Throwable failure() {
        return failure;
    }

    /** What else went wrong, in words: nobody can go on, or it takes too long; null: nothing. */
    public String trouble() {
        return trouble;
    }

    public Schedule schedule() {
        return made;
    }

    public int threads() {
        return ids;
    }

    public long points() {
        return strategy.points;
    }

    /** Whether threads ran at the same time for a while: the run need not come out again. */
    public boolean isLoose() {
        return wasDetached;
    }

    public String name(int id) {
        synchronized (LOCK) {
            for (Worker worker : members) {
                if (worker.id == id) {
                    return worker.thread.getName();
                }
            }
        }
        return "thread " + id;
    }

    // What the test's thread does.

    /** Ends the run with this trouble. With the lock. */
    void stop(String why) {
        if (!over) {
            trouble = why;
            end();
        }
    }

    private void perform(Body body) {
        Worker root = Turns.self();
        try {
            body.call();
        } catch (Abandoned e) {
            return;
        } catch (Throwable e) {
            synchronized (LOCK) {
                if (!over && failure == null) {
                    failure = e;
                }
            }
        }
        if (over) {
            return;
        }
        try {
            finish(root);
        } catch (Abandoned e) {
            return; // the run is over
        }
    }

    /** Lets the other threads come to their ends, or to where they block. */
    private void finish(Worker root) {
        ending = true;
        root.status = Worker.Status.ENDING;
        pause(root);
        synchronized (LOCK) {
            if (failure == null && trouble == null && Trouble.isCycle(this, members)) {
                trouble = "deadlock" + Trouble.describe(this, members);
            }
            root.status = Worker.Status.DONE;
            end();
        }
    }

    /** The run is over: whoever is left is woken up to end. With the lock. */
    private void end() {
        if (over) {
            return;
        }
        over = true;
        active = null;
        Turns.turn = null;
        Turns.running = null;
        for (Worker worker : members) {
            if (worker.status == Worker.Status.DONE) {
                continue;
            }
            if (Kept.outlives(worker)) {
                Kept.add(worker);
            } else {
                abandon(worker);
            }
        }
        LOCK.notifyAll();
    }

    void abandon(Worker worker) {
        worker.abandoned = true;
        if (worker.status != Worker.Status.DETACHED) {
            Turns.strangers++;
        }
        left.add(worker);
    }

    private static int count;
    final int number = ++count;

    // What threads of the run do, with their turn.

    Worker enroll(Thread thread) {
        Worker worker = new Worker(thread);
        names.give(thread);
        workers.put(thread, worker);
        join(worker);
        return worker;
    }

    private void join(Worker worker) {
        worker.run = this;
        worker.id = ids++;
        worker.count = 0;
        members.add(worker);
        alive++;
        strategy.meet(worker);
    }

    /** One of a pool, known from an earlier run, has something to do again. */
    void rejoin(Worker worker) {
        if (worker.run != this) {
            Kept.remove(worker);
            join(worker);
        }
    }

    private void rejoinInterrupted() {
        for (Worker worker : Kept.interrupted()) {
            rejoin(worker);
            able.add(worker);
        }
    }

    void step(Worker worker, int place) {
        if (worker.initializing > 0) {
            return;
        }
        worker.count++;
        if (ending && ++stepsAfterEnd > STEPS_AFTER_END) {
            synchronized (LOCK) {
                end();
            }
            worker.leaveIfAbandoned();
        }
        if (alive > 1 && strategy.stops(worker, place)) {
            stop(worker);
        }
    }

    /** Gives the turn to whom the strategy chooses. */
    private void stop(Worker worker) {
        Worker next;
        synchronized (LOCK) {
            next = next(worker);
        }
        if (next != null && next != worker) {
            next.wake();
            worker.await();
        } else if (next == worker) {
            worker.go = false;
        }
    }

    void yield(Worker worker) {
        worker.count++;
        strategy.yields(worker);
        stop(worker);
    }

    /** The thread cannot go on, as its status says: returns when it can and it is its turn. */
    void pause(Worker worker) {
        Worker next;
        worker.count++; // it may have been stopped before this step
        synchronized (LOCK) {
            next = next(worker);
        }
        if (next == worker) {
            worker.go = false;
            return;
        }
        if (next != null) {
            next.wake();
        }
        worker.await();
    }

    /** The same in a wait on this object. */
    void pauseIn(Worker worker, Object on) {
        Worker next;
        worker.count++;
        worker.wakesFrom = on;
        synchronized (LOCK) {
            next = next(worker);
        }
        if (next != null && next != worker) {
            next.wake();
        }
        if (next != worker) {
            worker.await(on);
        }
        worker.go = false;
        worker.wakesFrom = null;
    }

    /** Chooses who goes on, and hands the turn over; null: nobody can for now, or the run is over. With the lock. */
    Worker next(Worker worker) {
        if (over) {
            return null;
        }
        able.clear();
        for (Worker member : members) {
            if (canGo(member)) {
                able.add(member);
            }
        }
        if (able.isEmpty()) {
            rejoinInterrupted();
        }
        boolean settled = detached == 0
            && (!able.isEmpty() || ending || isPatient || Trouble.isCycle(this, members) || !Outsiders.mayAct(watcher));
        if (able.isEmpty() && settled && !timeOut()) {
            addEnding();
        }
        if (able.isEmpty()) {
            if (Turns.turn != null) {
                idleSince = System.nanoTime();
            }
            Turns.turn = null;
            Turns.running = null;
            if (settled) {
                stop((Trouble.isCycle(this, members) ? "deadlock" : "no thread can go on")
                    + Trouble.describe(this, members));
            }
            return null;
        }
        boolean preempts = worker != null && worker.status == Worker.Status.READY;
        Worker next = strategy.choose(able, worker, preempts);
        if (next != worker) {
            made.add(worker == null ? -1 : worker.id, worker == null ? 0 : worker.count, next.id,
                explains && worker != null ? Trouble.place(worker) : null);
        }
        hand(next);
        return next;
    }

    /** The test has ended, and nobody else can go on. */
    private void addEnding() {
        for (Worker member : members) {
            if (member.status == Worker.Status.ENDING) {
                able.add(member);
            }
        }
    }

    /** The next time-out happens, if there is one and the test has not ended. */
    private boolean timeOut() {
        Worker first = null;
        for (Worker member : members) {
            if (member.deadline != 0 && member.status != Worker.Status.READY && member.status != Worker.Status.DONE
                && (first == null || member.deadline < first.deadline)) {
                first = member;
            }
        }
        if (first == null || ending) {
            return false;
        }
        clock = Math.max(clock, first.deadline);
        first.timedOut = true;
        first.deadline = 0;
        if (!canGo(first)) {
            return timeOut();
        }
        able.add(first);
        return true;
    }

    private void hand(Worker next) {
        Turns.turn = next;
        Turns.running = next.thread;
        switches++;
    }

    private boolean canGo(Worker worker) {
        switch (worker.status) {
        case READY:
            return true;
        case BLOCKED:
            return blocking.isFree(worker.on, worker);
        case WAITING:
            return (worker.notified || worker.timedOut || worker.thread.isInterrupted()) && blocking.isFree(worker.on, worker);
        case PARKED:
            return worker.permit || worker.timedOut || worker.thread.isInterrupted();
        case JOINING:
            return worker.timedOut || worker.thread.isInterrupted() || isDone((Thread) worker.on);
        default:
            return false;
        }
    }

    /** Whether the thread has ended, or is none of ours. */
    static boolean isDone(Thread thread) {
        synchronized (LOCK) {
            return !workers.containsKey(thread);
        }
    }

    /** A thread that was detached comes to a hook. */
    void comeBack(Worker worker) {
        Worker next = null;
        synchronized (LOCK) {
            if (worker.status != Worker.Status.DETACHED || over) {
                return;
            }
            detached--;
            Turns.strangers--;
            worker.status = Worker.Status.READY;
            if (Turns.turn == null) {
                next = next(null);
            }
        }
        if (next != null) {
            next.wake();
        }
        worker.await();
    }

    /** The thread ends. */
    void ends(Worker worker) {
        Worker next = null;
        synchronized (LOCK) {
            if (worker.status == Worker.Status.DETACHED && !over) {
                detached--;
                Turns.strangers--;
            }
            boolean mine = Turns.turn == worker;
            worker.count++;
            worker.status = Worker.Status.DONE;
            alive--;
            strategy.reconsider = true;
            if (!over && (mine || Turns.turn == null)) {
                next = next(worker);
            }
        }
        if (next != null) {
            next.wake();
        }
    }

    void dies(Throwable error) {
        synchronized (LOCK) {
            if (failure == null && !over && trouble == null) {
                failure = error;
                end();
            }
        }
    }

    long now() {
        return clock += TICK_NANOS;
    }

    /** Time passes for who sleeps, at least. */
    void sleeps(long millis) {
        clock += java.util.concurrent.TimeUnit.MILLISECONDS.toNanos(Math.min(millis, 1L << 40));
    }

    long random() {
        drawn += 0x9e3779b97f4a7c15L;
        long z = (drawn ^ drawn >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return z ^ z >>> 31;
    }
}
