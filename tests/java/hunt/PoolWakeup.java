// expect: race=no hang=yes
/** A thread pool whose workers look for work and go to sleep in two steps: a job that comes between wakes nobody. */
public class PoolWakeup {
    static final int WORKERS = 3, JOBS = 6;
    static final Object work = new Object();
    static int waitingJobs, doneJobs;
    static boolean closed;

    static boolean hasNothingToDo() {
        synchronized (work) {
            return waitingJobs == 0 && !closed;
        }
    }

    static void serve() {
        for (boolean over = false; !over;) {
            if (hasNothingToDo()) {
                synchronized (work) {
                    try {
                        work.wait();
                    } catch (InterruptedException e) {
                        return;
                    }
                }
            }
            synchronized (work) {
                if (waitingJobs > 0) {
                    waitingJobs--;
                    doneJobs++;
                } else {
                    over = closed;
                }
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread[] workers = new Thread[WORKERS];
        for (int i = 0; i < WORKERS; i++) {
            workers[i] = new Thread(PoolWakeup::serve);
            workers[i].start();
        }
        for (int i = 0; i < JOBS; i++) {
            synchronized (work) {
                waitingJobs++;
                work.notify();
            }
        }
        synchronized (work) {
            closed = true;
            work.notifyAll();
        }
        for (Thread worker : workers)
            worker.join();
        System.out.println(doneJobs + " jobs");
    }
}
