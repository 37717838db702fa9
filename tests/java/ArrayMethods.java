// expect: race=no deadlock=no unordered=no
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Arrays that the JDK reads and writes, and views of a list, under a lock. */
public class ArrayMethods {
    private final int[] numbers = new int[4];
    private final Integer[] boxes = {3, 1, 2};
    private final List<int[]> list = new ArrayList<>();
    private final List<int[]> view = Collections.unmodifiableList(list);

    synchronized void change(int value) {
        Arrays.fill(numbers, value);
        numbers[1]--;
        Arrays.sort(boxes);
        list.add(new int[] {value});
        int[] copy = numbers.clone();
        Arrays.sort(numbers);
        System.arraycopy(copy, 0, numbers, 2, 2);
    }

    synchronized int sum() {
        int sum = numbers[0] + numbers[3] + boxes[0];
        for (int[] each : view) {
            sum += each[0]++;
        }
        return sum + Arrays.hashCode(numbers);
    }

    public static void main(String[] args) throws InterruptedException {
        ArrayMethods arrays = new ArrayMethods();
        Thread other = new Thread(() -> arrays.change(arrays.sum()));
        other.start();
        arrays.change(7);
        arrays.sum();
        other.join();
        System.out.println(arrays.sum() != 0);
    }
}
