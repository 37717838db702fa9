// expect: race=yes deadlock=no
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;

/** A stream of the program's own that threads write to directly: no lock of the JDK is around it, whatever type they know it by. */
public class OwnStream extends OutputStream {
    private int bytes;

    @Override
    public void write(int b) {
        bytes++;
    }

    public static void main(String[] args) throws InterruptedException {
        OutputStream stream = new OwnStream();
        Runnable writes = () -> {
            try {
                stream.write(1);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        };
        Thread one = new Thread(writes);
        Thread two = new Thread(writes);
        one.start();
        two.start();
        one.join();
        two.join();
        new PrintStream(stream).print("end");
    }
}
