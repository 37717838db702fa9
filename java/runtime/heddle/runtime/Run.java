package heddle.runtime;

import java.util.ArrayList;
import java.util.IdentityHashMap;

/** One run of a test in which one thread at a time makes progress: that whose turn it is. */
public final class Run {
    static final Object LOCK = new Object();

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
    final Course course = new Course(this);
    final Surroundings surroundings;
    final ArrayList<Worker> members = new ArrayList<>();

    /** Those that the run did not wait for: woken up to end. */
    private final ArrayList<Worker> left = new ArrayList<>();
    private int ids;
    int alive;
    boolean wasDetached;

    /** The thread that watches the run. */
    Thread watcher;
    volatile boolean over;
    private Throwable failure;
    private String trouble;
    boolean ending;

    /** On which all its threads run. */
    final int processor = Turns.processor();

    private Run(Strategy strategy, long seed, boolean explains) {
        this.strategy = strategy;
        this.explains = explains;
        made.seed = seed;
        surroundings = new Surroundings(seed);
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
            run.course.hand(run.members.get(0));
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
        course.pause(root);
        synchronized (LOCK) {
            if (failure == null && trouble == null && Trouble.isCycle(this, members)) {
                trouble = "deadlock" + Trouble.describe(this, members);
            }
            root.status = Worker.Status.DONE;
            end();
        }
    }

    /** The run is over: whoever is left is woken up to end. With the lock. */
    void end() {
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

    void rejoinInterrupted() {
        for (Worker worker : Kept.interrupted()) {
            rejoin(worker);
            course.able.add(worker);
        }
    }

    /** Whether the thread has ended, or is none of ours. */
    static boolean isDone(Thread thread) {
        synchronized (LOCK) {
            return !workers.containsKey(thread);
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
}
