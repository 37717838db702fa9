package heddle.junit;

import heddle.runtime.Run;
import heddle.runtime.Schedule;
import heddle.runtime.Strategy;
import java.io.IOException;
import java.util.Locale;
import org.opentest4j.TestAbortedException;

/** Looks for a schedule along which a test fails. */
final class Search {
    private static final int RUNS_ALONE = 3, LINES_SHOWN = 12;

    /** How runs are drawn, in turn: the kind, and how many changes. */
    private static final int[][] KINDS = {{Strategy.FEW, 1}, {Strategy.PRIORITIES, 1}, {Strategy.WALK, 0},
        {Strategy.FEW, 2}, {Strategy.PRIORITIES, 2}, {Strategy.FEW, 3}};

    private final Case test;
    private final HeddleTest wanted;
    private int runs;
    private int threads;
    private int loose;
    private long points;

    Search(Case test, HeddleTest wanted) {
        this.test = test;
        this.wanted = wanted;
    }

    void run() throws Throwable {
        long start = System.nanoTime(), nanos = (long) (wanted.seconds() * 1e9);
        while (runs < wanted.runs() && (runs == 0 || System.nanoTime() - start < nanos)) {
            long seed = seed(wanted, ++runs);
            Run run = Run.of(test, strategy(seed), seed, (long) (wanted.hang() * 1e9), false);
            threads = Math.max(threads, run.threads());
            points = Math.max(points, run.points());
            loose += run.isLoose() ? 1 : 0;
            if (run.failure() instanceof TestAbortedException) {
                throw run.failure();
            }
            if (run.failure() != null || run.trouble() != null) {
                fail(run, start);
            }
            if (threads == 1 && runs == RUNS_ALONE) {
                break;
            }
        }
        System.out.println("heddle: " + test.name() + ": no failure in " + speed(start));
    }

    /** Of the run of that number. */
    static long seed(HeddleTest wanted, int run) {
        return wanted.seed() * 1_000_003 + run;
    }

    private Strategy strategy(long seed) {
        if (runs == 1) {
            return Strategy.drawn(Strategy.NONE, seed, 0, 0);
        }
        int[] kind = KINDS[(runs - 2) % KINDS.length];
        return Strategy.drawn(kind[0], seed, kind[1], points);
    }

    private String speed(long start) {
        double seconds = (System.nanoTime() - start) / 1e9;
        return String.format(Locale.ROOT, "%d run%s, %.1f s, %.0f runs/s; %s%s", runs, runs == 1 ? "" : "s", seconds,
            runs / seconds, threads == 1 ? "the test starts no threads"
                : threads + " threads, up to " + points + " places to switch at",
            loose == 0 ? "" : "; in " + loose + " runs threads blocked where they are not controlled");
    }

    /** Makes the run again, to see whether it fails again and where threads were switched. */
    private void fail(Run failed, long start) throws IOException {
        String speed = speed(start);
        Strategy again = Strategy.along(failed.schedule());
        Run run = Run.of(test, again, failed.schedule().seed, (long) (wanted.hang() * 1e9), true);
        boolean same = again.diverged == null && what(run).equals(what(failed));
        Run shown = same ? run : failed;
        java.nio.file.Path path = ScheduleFile.write(test.name(), runs, shown);
        AssertionError error = new AssertionError("run " + runs + " fails (" + speed + "): " + what(failed)
            + "\n  schedule:" + text(shown)
            + "\n  " + (same ? "it failed again along this schedule; " : "it did not fail again along this schedule (" + (again.diverged == null ? what(run) : again.diverged) + "); ")
            + "replay with -Dheddle.replay=" + path, failed.failure());
        error.setStackTrace(failed.failure() == null ? new StackTraceElement[0] : failed.failure().getStackTrace());
        throw error;
    }

    static String what(Run run) {
        return run.failure() != null ? run.failure().toString() : run.trouble() == null ? "no failure"
            : run.trouble().replaceAll("@[0-9a-f]+", "");
    }

    /** Who was stopped where, and who went on. */
    static String text(Run run) {
        Schedule schedule = run.schedule();
        StringBuilder text = new StringBuilder();
        int first = Math.max(0, schedule.size() - LINES_SHOWN);
        if (first > 0) {
            text.append("\n    ").append(first).append(" switches, then");
        }
        for (int i = first; i < schedule.size(); i++) {
            text.append("\n    ").append(run.name(schedule.from(i))).append(" at ")
                .append(schedule.place(i) == null ? "step " + schedule.steps(i) : schedule.place(i));
            text.append(schedule.to(i) < 0 ? ": notifies waiting thread number " + -schedule.to(i)
                : ": then " + run.name(schedule.to(i)));
        }
        return text.length() == 0 ? " one thread after the other" : text.toString();
    }
}
