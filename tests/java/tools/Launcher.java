package org.codehaus.plexus.classworlds.launcher;

import java.util.ArrayList;
import java.util.List;

/** Has the name of Maven's main class, and like it does much itself before it starts another machine for the tests. */
public final class Launcher {
    private static int steps;

    private Launcher() {
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 100000; i++) {
            steps++;
        }
        List<String> command = new ArrayList<>(List.of("java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(List.of(args));
        System.exit(new ProcessBuilder(command).inheritIO().start().waitFor());
    }
}
