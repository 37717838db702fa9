package heddle.junit;

import heddle.runtime.Run;
import heddle.runtime.Schedule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;

/** A schedule in a file: lines `THREAD STEPS NEXT`, and what they are of. */
final class ScheduleFile {
    private static final String FIRST = "heddle-schedule 1";

    String test;
    int run;
    final Schedule schedule = new Schedule();

    static ScheduleFile read(String path) throws IOException {
        ScheduleFile file = new ScheduleFile();
        List<String> lines = Files.readAllLines(Paths.get(path));
        if (lines.isEmpty() || !lines.get(0).equals(FIRST)) {
            throw new IOException(path + ":1: this is no schedule of a test: its first line must be \"" + FIRST + "\"");
        }
        for (int i = 1; i < lines.size(); i++) {
            try {
                file.readLine(lines.get(i));
            } catch (RuntimeException e) {
                throw new IOException(path + ":" + (i + 1) + ": not a line of a schedule: " + lines.get(i));
            }
        }
        if (file.test == null) {
            throw new IOException(path + ": the line that names the test is missing");
        }
        return file;
    }

    private void readLine(String line) {
        String[] words = line.replaceFirst("#.*", "").trim().split(" +");
        if (line.startsWith("test ")) {
            test = line.substring(5);
        } else if (line.startsWith("seed ")) {
            schedule.seed = Long.parseLong(words[1]);
        } else if (line.startsWith("run ")) {
            run = Integer.parseInt(words[1]);
        } else if (!words[0].isEmpty()) {
            schedule.add(Integer.parseInt(words[0]), Integer.parseInt(words[1]), Integer.parseInt(words[2]), null);
        }
    }

    /** Writes the schedule beside other files that tests leave; returns where it is. */
    static Path write(String test, int number, Run run) throws IOException {
        List<String> lines = new ArrayList<>();
        Schedule schedule = run.schedule();
        lines.add(FIRST);
        lines.add("test " + test);
        lines.add("run " + number);
        lines.add("seed " + schedule.seed);
        lines.add("# thread, its steps, who goes on: " + names(run));
        for (int i = 0; i < schedule.size(); i++) {
            lines.add(schedule.from(i) + " " + schedule.steps(i) + " " + schedule.to(i)
                + (schedule.place(i) == null ? "" : " # " + schedule.place(i)));
        }
        String base = test.replaceAll("[^A-Za-z0-9_.]", "-") + ".schedule";
        Path path = Paths.get(System.getProperty("heddle.schedules", "."), base).normalize();
        if (path.getParent() != null) {
            Files.createDirectories(path.getParent());
        }
        return Files.write(path, lines);
    }

    private static String names(Run run) {
        StringBuilder names = new StringBuilder();
        for (int i = 0; i < run.threads(); i++) {
            names.append(i == 0 ? "" : ", ").append(i).append(" is ").append(run.name(i));
        }
        return names.toString();
    }
}
