package heddle.runtime;

import java.util.ArrayList;
import java.util.IdentityHashMap;

/** What may block a thread of a run: monitors, waits, parks, joins. Threads come here with their turn, if nothing else is said. */
final class Blocking {
    /** A monitor that threads of the run have entered or want to. */
    private static final class Monitor {
        Worker owner;
        int depth;
    }

    private final Run run;
    private final IdentityHashMap<Object, Monitor> monitors = new IdentityHashMap<>();

    Blocking(Run run) {
        this.run = run;
    }

    boolean isFree(Object object, Worker worker) {
        Monitor monitor = monitors.get(object);
        return monitor == null || monitor.owner == null || monitor.owner == worker;
    }

    void enter(Worker worker, Object object) {
        run.course.step(worker, 0);
        while (!isFree(object, worker)) {
            worker.status = Worker.Status.BLOCKED;
            worker.on = object;
            run.course.pause(worker);
            worker.status = Worker.Status.READY;
        }
        worker.on = null;
        Monitor monitor = monitors.get(object);
        if (monitor == null) {
            monitors.put(object, monitor = new Monitor());
        }
        monitor.owner = worker;
        monitor.depth++;
    }

    /** The thread still has the monitor, until it has its next hook. */
    void leave(Worker worker, Object object) {
        Monitor monitor = monitors.get(object);
        if (monitor != null && monitor.owner == worker && --monitor.depth == 0) {
            monitor.owner = null;
            monitors.remove(object);
            run.strategy.reconsider = true;
        }
    }

    Worker owner(Object object) {
        Monitor monitor = monitors.get(object);
        return monitor == null ? null : monitor.owner;
    }

    /** `nanos` 0: without end. */
    void wait(Worker worker, Object on, long nanos) throws InterruptedException {
        worker.count++;
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        Monitor monitor = monitors.get(on);
        int depth = monitor == null || monitor.owner != worker ? 0 : monitor.depth;
        if (depth > 0) {
            monitors.remove(on);
        }
        run.strategy.reconsider = true;
        worker.on = on;
        worker.notified = worker.timedOut = false;
        worker.deadline = nanos > 0 ? run.surroundings.clock + nanos : 0;
        worker.status = Worker.Status.WAITING;
        run.course.pauseIn(worker, on);
        worker.status = Worker.Status.READY;
        worker.on = null;
        worker.deadline = 0;
        if (depth > 0) {
            Monitor again = new Monitor();
            again.owner = worker;
            again.depth = depth;
            monitors.put(on, again);
        }
        if (!worker.notified && Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    /** False when no thread of the run waits there. */
    boolean notify(Worker worker, Object on, boolean all) {
        if (owner(on) == worker) { // else code of the JDK is inside, whose monitors are not controlled
            run.course.step(worker, 0);
        }
        synchronized (Run.LOCK) {
            ArrayList<Worker> waiting = waitingOn(on);
            if (waiting.isEmpty()) {
                return false;
            }
            run.strategy.reconsider = true;
            int which = waiting.size() == 1 || all ? 0 : run.strategy.chooseNotified(waiting.size(), worker);
            if (waiting.size() > 1 && !all) {
                run.made.add(worker.id, worker.count, -1 - which, run.explains ? Trouble.place(worker) : null);
            }
            for (int i = 0; i < waiting.size(); i++) {
                waiting.get(i).notified |= all || i == which;
            }
        }
        return true;
    }

    private ArrayList<Worker> waitingOn(Object on) {
        ArrayList<Worker> waiting = new ArrayList<>();
        for (Worker member : run.members) {
            if (member.status == Worker.Status.WAITING && member.on == on && !member.notified && !member.timedOut) {
                waiting.add(member);
            }
        }
        return waiting;
    }

    /** The same by a thread that is not controlled. */
    static boolean notifyFromOutside(Object on, boolean all) {
        Worker next = null;
        synchronized (Run.LOCK) {
            ArrayList<Worker> waiting = Run.active == null ? new ArrayList<>() : Run.active.blocking.waitingOn(on);
            for (Worker worker : waiting) {
                worker.notified = true;
                if (!all) {
                    break;
                }
            }
            if (waiting.isEmpty()) {
                return false;
            }
            if (Turns.turn == null) {
                next = Run.active.course.next(null);
            }
        }
        if (next != null) {
            next.wake();
        }
        return true;
    }

    void park(Worker worker, long nanos) {
        worker.count++;
        if (!worker.permit && !worker.thread.isInterrupted()) {
            worker.timedOut = false;
            worker.deadline = nanos > 0 ? run.surroundings.clock + nanos : 0;
            worker.status = Worker.Status.PARKED;
            run.course.pause(worker);
            worker.status = Worker.Status.READY;
            worker.deadline = 0;
        }
        worker.permit = false;
    }

    /** Also from threads that are not the run's. */
    void unpark(Worker worker) {
        Worker next = null;
        synchronized (Run.LOCK) {
            run.rejoin(worker);
            worker.permit = true;
            run.strategy.reconsider = true;
            if (Turns.turn == null && !run.over) {
                next = run.course.next(null);
            }
        }
        if (next != null) {
            next.wake();
        }
    }

    /** Returns when the thread has ended but for what the machine itself still does. */
    void join(Worker worker, Thread thread, long nanos) {
        run.course.step(worker, 0);
        if (Run.isDone(thread) || !thread.isAlive()) {
            return;
        }
        worker.on = thread;
        worker.timedOut = false;
        worker.deadline = nanos > 0 ? run.surroundings.clock + nanos : 0;
        worker.status = Worker.Status.JOINING;
        run.course.pause(worker);
        worker.status = Worker.Status.READY;
        worker.on = null;
        worker.deadline = 0;
    }
}
