// expect: race=no deadlock=no atomicity=no
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Tasks to a pool, results by futures; what a task is given and what it leaves needs no lock. */
public class WorkQueue {
    static final class Job {
        int input, output;
    }

    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        List<Job> jobs = new ArrayList<>();
        List<Future<?>> futures = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Job job = new Job();
            job.input = i;
            jobs.add(job);
            futures.add(pool.submit(() -> {
                job.output = job.input * job.input;
            }));
        }
        int sum = 0;
        for (int i = 0; i < 4; i++) {
            futures.get(i).get();
            sum += jobs.get(i).output;
        }
        pool.shutdown();
        System.out.println(sum);
    }
}
