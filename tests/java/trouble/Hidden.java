import java.io.InputStream;
import java.lang.invoke.MethodHandles;

/** A class that is defined without a name that anybody can find. */
public class Hidden {
    static int shared;

    public static void main(String[] arguments) throws Exception {
        try (InputStream in = Hidden.class.getResourceAsStream("HiddenWork.class")) {
            Class<?> hidden = MethodHandles.lookup().defineHiddenClass(in.readAllBytes(), true).lookupClass();
            Thread thread = new Thread((Runnable) hidden.getDeclaredConstructor().newInstance());
            thread.start();
            thread.join();
        }
    }
}

class HiddenWork implements Runnable {
    @Override
    public void run() {
        Hidden.shared++;
    }
}
