package heddle.junit;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.AnnotationSupport;
import org.opentest4j.TestAbortedException;

/** Runs methods with {@link HeddleTest} along many schedules, or along the one that the property heddle.replay names. */
public final class HeddleExtension implements InvocationInterceptor {
    @Override
    public void interceptTestMethod(Invocation<Void> invocation, ReflectiveInvocationContext<Method> about,
        ExtensionContext context) throws Throwable {
        HeddleTest wanted = AnnotationSupport.findAnnotation(about.getExecutable(), HeddleTest.class).orElse(null);
        if (wanted == null) {
            invocation.proceed();
            return;
        }
        invocation.skip(); // each run has its own instance
        requireAgent();
        Case test = new Case(about.getTargetClass(), about.getExecutable(), about.getArguments().toArray());
        String replayed = System.getProperty("heddle.replay");
        if (replayed == null) {
            synchronized (HeddleExtension.class) { // one test at a time
                new Search(test, wanted).run();
            }
            return;
        }
        ScheduleFile file = ScheduleFile.read(replayed);
        if (!file.test.equals(test.name())) {
            throw new TestAbortedException("heddle.replay is a schedule of " + file.test);
        }
        new Replay(test, wanted, file).run();
    }

    private static void requireAgent() {
        try {
            Class.forName("heddle.runtime.Turns", false, null);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("heddle: threads cannot be controlled: start the virtual machine with"
                + " -agentpath:" + library() + "=junit (see docs/java.md)");
        }
    }

    private static String library() {
        String architecture = System.getProperty("os.arch").equals("aarch64") ? "aarch64" : "x86_64";
        for (String folder : new String[] {"/usr/lib/" + architecture + "-linux-gnu/heddle", "/usr/local/lib/heddle"}) {
            if (new java.io.File(folder, "libheddle-java.so").exists()) {
                return folder + "/libheddle-java.so";
            }
        }
        return "/path/to/libheddle-java.so";
    }

    /** What a reflective call threw. */
    static Throwable cause(InvocationTargetException e) {
        return e.getCause() == null ? e : e.getCause();
    }
}
