// Java Grande: results of the threads are added to one list, of which only some calls have the lock
import java.util.ArrayList;
import java.util.List;

public class Montecarlo {
    private final List<Double> results = new ArrayList<>();
    private double sum;

    private void simulate(int from, int to) {
        for (int i = from; i < to; i++) {
            double path = Math.sin(i);
            synchronized (this) {
                results.add(path);
            }
            sum += path;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Montecarlo all = new Montecarlo();
        Thread one = new Thread(() -> all.simulate(0, 20)), other = new Thread(() -> all.simulate(20, 40));
        one.start();
        other.start();
        one.join();
        other.join();
    }
}
