// expect: race=yes deadlock=no
import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;

/** Each thread reads a text of its own to the end: that is no way to hear of the other, also if the end is an exception. */
public class Parsers {
    private static int parsed;

    private static int length(Reader text) {
        char[] characters = new char[8];
        int length = 0;
        try {
            for (;;) {
                int count = text.read(characters, 0, characters.length);
                if (count < 0) {
                    text.close(); // the next read fails
                } else {
                    length += count;
                }
            }
        } catch (IOException e) {
            return length;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread first = new Thread(() -> {
            parsed += length(new StringReader("some text"));
            length(new StringReader("and more"));
        });
        Thread second = new Thread(() -> {
            try {
                Thread.sleep(100);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            length(new StringReader("something else"));
            parsed++;
        });
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println(parsed);
    }
}
