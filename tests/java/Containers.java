// expect: race=no deadlock=no unordered=no
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Vector;

/** Objects that find their way through collections under a lock: nobody touches them before they are there. */
public class Containers {
    static final class Job {
        int state;
    }

    static final class Inbox extends LinkedList<Job> {
        private static final long serialVersionUID = 1;

        synchronized void send(Job job) {
            addLast(job);
        }

        synchronized Job receive() {
            return pollFirst();
        }
    }

    private static final LinkedList<Job> list = new LinkedList<>();
    private static final Map<Integer, Job> map = new HashMap<>();
    private static final Object lock = new Object();
    private static final List<Job> safe = Collections.synchronizedList(new ArrayList<>());
    private static final Vector<Job> vector = new Vector<>();
    private static final Inbox inbox = new Inbox();
    private static final ArrayDeque<Job> deque = new ArrayDeque<>();

    private static Job make() {
        Job job = new Job();
        job.state = 1;
        return job;
    }

    private static Job find(int way) {
        switch (way) {
        case 0:
            synchronized (lock) {
                return list.poll();
            }
        case 1:
            synchronized (lock) {
                return map.get(1);
            }
        case 2:
            return safe.isEmpty() ? null : safe.get(0);
        case 3:
            return vector.isEmpty() ? null : vector.get(0);
        case 4:
            return inbox.receive();
        default:
            synchronized (lock) {
                for (Job job : deque) {
                    return job;
                }
                return null;
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread other = new Thread(() -> {
            for (int way = 0; way < 6; way++) {
                Job job;
                while ((job = find(way)) == null) {
                    Thread.yield();
                }
                job.state++;
            }
        });
        other.start();
        Job[] jobs = {make(), make(), make(), make(), make(), make()};
        synchronized (lock) {
            list.add(jobs[0]);
            map.put(1, jobs[1]);
        }
        safe.add(jobs[2]);
        vector.add(jobs[3]);
        inbox.send(jobs[4]);
        synchronized (lock) {
            deque.add(jobs[5]);
        }
        other.join();
        System.out.println(jobs[0].state + jobs[5].state);
    }
}
