import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/** Links every class of the JDK and of the jars that are named, or every STEP-th: the verifier must take what was rewritten. */
public final class VerifyAll {
    private static int linked, refused, missing;

    private VerifyAll() {
    }

    public static void main(String[] args) throws IOException {
        int step = Integer.parseInt(args[0]);
        if (args.length == 1) {
            link(namesOfJdk(), step, VerifyAll.class.getClassLoader());
        }
        for (int i = 1; i < args.length; i++) {
            File file = new File(args[i]);
            try (URLClassLoader loader = new URLClassLoader(new URL[] {file.toURI().toURL()})) {
                link(namesIn(file), step, loader);
            }
        }
        System.out.println(linked + " linked, " + refused + " refused, " + missing + " not to be had");
    }

    private static List<String> namesOfJdk() throws IOException {
        FileSystem modules = FileSystems.getFileSystem(URI.create("jrt:/"));
        List<String> names = new ArrayList<>();
        try (Stream<Path> all = Files.walk(modules.getPath("/modules"))) {
            all.filter(path -> path.getNameCount() > 2).forEach(path -> add(names, path.subpath(2, path.getNameCount()).toString()));
        }
        return names;
    }

    private static List<String> namesIn(File jar) throws IOException {
        List<String> names = new ArrayList<>();
        try (JarFile file = new JarFile(jar)) {
            file.stream().forEach(entry -> add(names, entry.getName()));
        }
        return names;
    }

    private static void add(List<String> names, String file) {
        if (file.endsWith(".class") && !file.endsWith("-info.class") && !file.startsWith("META-INF/")) {
            names.add(file.substring(0, file.length() - ".class".length()).replace('/', '.'));
        }
    }

    /** Asking for methods links a class without running any of it. */
    private static void link(List<String> names, int step, ClassLoader loader) {
        for (int i = 0; i < names.size(); i += step) {
            try {
                Class.forName(names.get(i), false, loader).getDeclaredMethods();
                linked++;
            } catch (VerifyError | ClassFormatError e) {
                refused++;
                System.out.println(names.get(i) + ": " + e);
            } catch (LinkageError | ClassNotFoundException e) {
                missing++; // it needs what is not there
            }
        }
    }
}
