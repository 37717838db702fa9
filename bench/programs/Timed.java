import java.io.FileWriter;
import java.io.IOException;
import java.io.PrintWriter;

/** Runs another program's main and writes the seconds it took, without the machine's start, to a file. */
public final class Timed {
    private Timed() {
    }

    /** FILE PROGRAM ARGUMENTS… */
    public static void main(String[] args) throws ReflectiveOperationException, IOException {
        String[] rest = new String[args.length - 2];
        System.arraycopy(args, 2, rest, 0, rest.length);
        var main = Class.forName(args[1]).getMethod("main", String[].class);
        long start = System.nanoTime();
        main.invoke(null, (Object) rest);
        long taken = System.nanoTime() - start;
        double cpu = ProcessHandle.current().info().totalCpuDuration().orElseThrow().toMillis() * 1e-3;
        try (PrintWriter out = new PrintWriter(new FileWriter(args[0]))) {
            out.println(taken * 1e-9 + " " + cpu);
        }
    }
}
