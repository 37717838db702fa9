import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.util.CheckClassAdapter;

/**
 * All classes of the JDK's modules, or every STEP-th, java.lang and those a machine loads before any agent included: takes
 * them out of the machine, and checks what was made of them with the ASM library, instruction by instruction.
 */
public final class CheckAll {
    private CheckAll() {
    }

    /** extract STEP FOLDER, or check FOLDER REWRITTEN */
    public static void main(String[] args) throws IOException {
        if (args[0].equals("extract")) {
            extract(Integer.parseInt(args[1]), Path.of(args[2]));
        } else {
            check(Path.of(args[1]), Path.of(args[2]));
        }
    }

    private static List<Path> classesIn(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(path -> path.toString().endsWith(".class") && !path.endsWith("module-info.class"))
                .collect(Collectors.toList());
        }
    }

    private static void extract(int step, Path folder) throws IOException {
        FileSystem modules = FileSystems.getFileSystem(URI.create("jrt:/"));
        List<Path> classes = classesIn(modules.getPath("/modules"));
        for (int i = 0; i < classes.size(); i += step) {
            Path target = folder.resolve(classes.get(i).toString().substring("/modules/".length()));
            Files.createDirectories(target.getParent());
            Files.copy(classes.get(i), target);
        }
    }

    /** What is wrong with the class, or nothing. */
    private static String wrong(byte[] bytes) {
        StringWriter text = new StringWriter();
        try {
            CheckClassAdapter.verify(new ClassReader(bytes), CheckAll.class.getClassLoader(), false, new PrintWriter(text));
        } catch (IllegalArgumentException | TypeNotPresentException | LinkageError e) {
            text.append(e.toString());
        }
        return text.toString();
    }

    private static void check(Path folder, Path rewritten) throws IOException {
        int checked = 0, refused = 0, strange = 0;
        for (Path path : classesIn(rewritten)) {
            String why = wrong(Files.readAllBytes(path));
            checked++;
            if (!why.isEmpty() && wrong(Files.readAllBytes(folder.resolve(rewritten.relativize(path)))).isEmpty()) {
                refused++;
                System.out.println(path + ": " + why.lines().findFirst().orElse(""));
            } else if (!why.isEmpty()) {
                strange++; // to this library, before we touched it
            }
        }
        System.out.println(checked + " checked, " + refused + " refused, " + strange + " not understood before");
    }
}
