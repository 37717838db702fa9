import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.StructuredTaskScope;

/** Subtasks of a scope come after its owner's writes and before what follows its join; so do virtual threads. */
public class Structured {
    private static int before, first, second;

    public static void main(String[] arguments) throws Exception {
        before = 5;
        try (var scope = StructuredTaskScope.open()) {
            scope.fork(() -> first = before);
            scope.fork(() -> second = before + 1);
            scope.join();
            first += second;
        }
        Thread virtual = Thread.ofVirtual().start(() -> second = first);
        virtual.join();
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            executor.execute(() -> first = second);
        }
        System.out.println(first);
    }
}
