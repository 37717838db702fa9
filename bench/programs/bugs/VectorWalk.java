// CalFuzzer: size and get of a Vector, one after the other
import java.util.Vector;

public class VectorWalk {
    public static void main(String[] args) throws InterruptedException {
        Vector<Integer> all = new Vector<>();
        all.add(1);
        all.add(2);
        Thread walks = new Thread(() -> {
            for (int i = 0; i < all.size(); i++) {
                if (all.get(i) == 0) {
                    throw new IllegalStateException();
                }
            }
        });
        Thread removes = new Thread(() -> all.remove(0));
        walks.start();
        removes.start();
        walks.join();
        removes.join();
    }
}
