package heddle.runtime;

import java.util.Arrays;

/** The choices of a run, in order: which thread went on, or was notified, after so many steps of which thread. */
public final class Schedule {
    private static final int ENTRY = 3;

    /** Seed of the random numbers that the program gets. */
    public long seed;

    private int[] numbers = new int[64];
    private String[] places = new String[0];
    private int count;

    public int size() {
        return count;
    }

    public int from(int i) {
        return numbers[i * ENTRY];
    }

    public int steps(int i) {
        return numbers[i * ENTRY + 1];
    }

    public int to(int i) {
        return numbers[i * ENTRY + 2];
    }

    /** Where the thread was, in words; null if nobody asked. */
    public String place(int i) {
        return i < places.length ? places[i] : null;
    }

    public void add(int from, int steps, int to, String place) {
        if ((count + 1) * ENTRY > numbers.length) {
            numbers = Arrays.copyOf(numbers, numbers.length * 2);
        }
        numbers[count * ENTRY] = from;
        numbers[count * ENTRY + 1] = steps;
        numbers[count * ENTRY + 2] = to;
        if (place != null) {
            places = Arrays.copyOf(places, count + 1);
            places[count] = place;
        }
        count++;
    }
}
