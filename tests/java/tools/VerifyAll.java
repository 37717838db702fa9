import java.net.URI;
import java.nio.file.*;
import java.util.*;
/** Links every class of the JDK, or every STEP-th: what was rewritten must pass the verifier. */
public class VerifyAll {
    public static void main(String[] args) throws Exception {
        FileSystem fs = FileSystems.getFileSystem(URI.create("jrt:/"));
        List<String> names = new ArrayList<>();
        try (var s = Files.walk(fs.getPath("/modules"))) {
            s.filter(p -> p.toString().endsWith(".class") && !p.toString().endsWith("-info.class")).forEach(p -> {
                String t = p.subpath(2, p.getNameCount()).toString();
                names.add(t.substring(0, t.length() - 6).replace('/', '.')); });
        }
        int step = args.length > 0 ? Integer.parseInt(args[0]) : 1, n = 0, bad = 0, other = 0;
        for (int i = 0; i < names.size(); i += step) {
            try {
                Class<?> c = Class.forName(names.get(i), false, VerifyAll.class.getClassLoader());
                n++;
                c.getDeclaredMethods();
            } catch (VerifyError | ClassFormatError e) { bad++; System.out.println(names.get(i) + " " + e);
            } catch (Throwable t) { other++; }
        }
        System.out.println(n + " linked, " + bad + " refused, " + other + " not to be had");
    }
}
