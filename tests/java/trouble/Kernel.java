/** Every kind of access, as often in each run: what was recorded can be counted by other means. */
public class Kernel {
    private static long total;
    private static volatile int phase;
    private static final String[] WORDS = {"a", "b", "c"};
    protected double scale = 1.5;
    private float ratio;
    private byte tiny;
    private short little;
    private char letter = 'x';
    private boolean odd;

    interface Shape {
        double area(int side);
    }

    final class Square implements Shape {
        private int calls;

        @Override
        public double area(int side) {
            calls++;
            return side * side * scale;
        }
    }

    static class Base {
        int inherited;
    }

    static final class Derived extends Base {
        synchronized void grow(int by) {
            inherited += by;
            super.inherited++;
            synchronized (this) {
                if (by == 2) {
                    return;
                }
            }
        }
    }

    private double work(int rounds) {
        double[][] grid = new double[rounds][rounds];
        long[] sums = new long[4];
        char[] text = new char[4];
        Shape square = new Square();
        Derived derived = new Derived();
        for (int i = 0; i < rounds; i++) {
            for (int j = 0; j < rounds; j++) {
                grid[i][j] = (i == 0 || j == 0 ? 1 : grid[i - 1][j] + grid[i][j - 1]) * ratio + square.area(j);
            }
            switch (i % 4) {
            case 0:
                tiny++;
                break;
            case 1:
                little += tiny;
                break;
            case 2:
                letter++;
                break;
            default:
                odd = !odd;
                ratio += 0.5f;
            }
            switch (WORDS[i % 3]) {
            case "a":
                sums[0]++;
                break;
            case "b":
                sums[1] += i;
                break;
            default:
                sums[2]--;
            }
            text[i & 3] = letter;
            try {
                sums[i % 6]++;
            } catch (ArrayIndexOutOfBoundsException e) {
                total++;
            }
            derived.grow(i % 3);
            phase = i;
        }
        return grid[rounds - 1][rounds - 1] + sums[0] + derived.inherited;
    }

    public static void main(String[] args) throws InterruptedException {
        Kernel kernel = new Kernel();
        Thread other = new Thread(() -> kernel.work(9));
        other.start();
        other.join();
        System.out.println(kernel.work(12) + total + phase > 0);
    }
}
