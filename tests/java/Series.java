// expect: race=no nondet=no deadlock=no unordered=no
/** Fourier coefficients of (x + 1)^x, each thread its part of them: deterministic. How many, threads, steps may be given. */
public class Series {
    private final double[][] coefficients;
    private final int steps;

    Series(int count, int steps) {
        coefficients = new double[2][count];
        this.steps = steps;
    }

    private static double term(double x, int n, boolean sine) {
        double value = Math.pow(x + 1, x);
        return n == 0 ? value : value * (sine ? Math.sin(Math.PI * n * x) : Math.cos(Math.PI * n * x));
    }

    /** By the trapezoid rule over [0, 2]. */
    private double integrate(int n, boolean sine) {
        double width = 2.0 / steps;
        double sum = (term(0, n, sine) + term(2, n, sine)) / 2;
        for (int i = 1; i < steps; i++) {
            sum += term(i * width, n, sine);
        }
        return sum * width;
    }

    private void part(int self, int threads) {
        int count = coefficients[0].length, slice = (count + threads - 1) / threads;
        for (int n = self * slice; n < Math.min(count, (self + 1) * slice); n++) {
            coefficients[0][n] = integrate(n, false);
            coefficients[1][n] = integrate(n, true);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int count = args.length > 0 ? Integer.parseInt(args[0]) : 12;
        Thread[] threads = new Thread[args.length > 1 ? Integer.parseInt(args[1]) : 3];
        Series series = new Series(count, args.length > 2 ? Integer.parseInt(args[2]) : 20);
        for (int i = 0; i < threads.length; i++) {
            int self = i;
            threads[i] = new Thread(() -> series.part(self, threads.length));
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        double sum = 0;
        for (double[] row : series.coefficients) {
            for (double value : row) {
                sum += value;
            }
        }
        System.out.println(sum > 0);
    }
}
