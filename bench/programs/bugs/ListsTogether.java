// CalFuzzer: two synchronized lists of the JDK, each added to the other
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Each call has the monitor of one list and asks the other, which takes the other's. */
public class ListsTogether {
    public static void main(String[] args) throws InterruptedException {
        List<Integer> one = Collections.synchronizedList(new ArrayList<>(List.of(1, 2)));
        List<Integer> two = Collections.synchronizedList(new ArrayList<>(List.of(2, 3)));
        Thread first = new Thread(() -> {
            synchronized (one) {
                one.addAll(two);
            }
        });
        Thread second = new Thread(() -> {
            synchronized (two) {
                two.addAll(one);
            }
        });
        first.start();
        second.start();
        first.join();
        second.join();
    }
}
