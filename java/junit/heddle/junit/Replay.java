package heddle.junit;

import heddle.runtime.Run;
import heddle.runtime.Strategy;

/** Runs a test along a schedule. */
final class Replay {
    private static final int ATTEMPTS = 2;

    private final Case test;
    private final HeddleTest wanted;
    private final ScheduleFile file;

    Replay(Case test, HeddleTest wanted, ScheduleFile file) {
        this.test = test;
        this.wanted = wanted;
        this.file = file;
    }

    /** The first run of a machine initializes classes: a schedule of a later one follows such a run. No run is limited in time:
     * a debugger may hold it. */
    void run() throws Throwable {
        if (file.run > 1) {
            long seed = Search.seed(wanted, 1);
            report(Run.of(test, Strategy.drawn(Strategy.NONE, seed, 0, 0), seed, 0, false), "the run before the replay fails");
        }
        Strategy strategy = null;
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            strategy = Strategy.along(file.schedule);
            report(Run.of(test, strategy, file.schedule.seed, 0, true), "the schedule fails");
        }
        throw new AssertionError("heddle: " + test.name() + " does not fail along this schedule"
            + (strategy.diverged == null ? "" : ": " + strategy.diverged));
    }

    private void report(Run run, String how) {
        if (run.failure() == null && run.trouble() == null) {
            return;
        }
        AssertionError error = new AssertionError(how + ": " + Search.what(run) + "\n  schedule:" + Search.text(run),
            run.failure());
        error.setStackTrace(run.failure() == null ? new StackTraceElement[0] : run.failure().getStackTrace());
        throw error;
    }
}
