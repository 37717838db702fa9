import java.util.concurrent.locks.ReentrantLock;

/** A thread gives a lock back and takes it again at once, mostly before those that wait for it. */
public class Overtakes {
    static final ReentrantLock lock = new ReentrantLock();
    static int steps;

    static void step() {
        lock.lock();
        steps = -steps;
        lock.unlock();
    }

    public static void main(String[] args) throws InterruptedException {
        Thread[] others = new Thread[4];
        lock.lock();
        for (int i = 0; i < others.length; i++) {
            others[i] = new Thread(Overtakes::step);
            others[i].start();
        }
        Thread.sleep(200);
        for (int i = 0; i < 2000; i++) {
            steps++;
            lock.unlock();
            lock.lock();
        }
        lock.unlock();
        for (Thread other : others)
            other.join();
        System.out.println(steps);
    }
}
