// expect: race=no assertion=yes
/** A small server: handlers answer requests for a session, a keeper closes it once nobody uses it. All is done under the
 *  lock, but not at once: it takes a switch in the keeper and one in a handler for an answer to go to a session that is gone. */
public class Server {
    static final int HANDLERS = 3, REQUESTS = 4;
    static final Object lock = new Object(), logLock = new Object();
    static String[] buffer = new String[1];
    static int users, answers, refused, logLines;
    static boolean closing;

    static void logLine() {
        synchronized (logLock) {
            logLines++;
        }
    }

    /** Enters the session unless it closes. */
    static boolean enter() {
        synchronized (lock) {
            if (!closing)
                users++;
            return !closing;
        }
    }

    static void leave() {
        synchronized (lock) {
            users--;
        }
    }

    static void answer(int request) {
        logLine();
        synchronized (lock) {
            if (buffer == null)
                throw new AssertionError("the session is gone");
            buffer[0] = "answer " + request;
            answers++;
        }
    }

    static void handle() {
        for (int i = 0; i < REQUESTS; i++) {
            if (enter()) {
                answer(i);
                leave();
            } else {
                synchronized (lock) {
                    refused++;
                }
            }
            logLine();
        }
    }

    static boolean isInUse() {
        synchronized (lock) {
            return users > 0;
        }
    }

    static void keep() {
        logLine();
        if (isInUse())
            return;
        synchronized (lock) {
            closing = true;
            buffer = null;
        }
        logLine();
    }

    public static void main(String[] args) throws InterruptedException {
        Thread[] threads = new Thread[HANDLERS + 1];
        for (int i = 0; i <= HANDLERS; i++) {
            threads[i] = new Thread(i < HANDLERS ? Server::handle : Server::keep);
            threads[i].start();
        }
        for (Thread thread : threads)
            thread.join();
        System.out.println("served");
    }
}
