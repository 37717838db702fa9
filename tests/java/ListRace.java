// expect: race=yes deadlock=no
import java.util.ArrayList;
import java.util.List;

/** Two threads add to a list that is not made for it. */
public class ListRace {
    public static void main(String[] args) throws InterruptedException {
        List<Integer> list = new ArrayList<>();
        Thread other = new Thread(() -> list.add(1));
        other.start();
        list.add(2);
        other.join();
        System.out.println(list.isEmpty());
    }
}
