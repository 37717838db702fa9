// expect: race=yes nondet=yes deadlock=no
/**
 * The shortest tour by branch and bound. Threads take partial tours from a common stack and compare with the shortest
 * length so far without its lock; they look again with it before they write. Cities and threads may be given.
 */
public class Tsp {
    static final class Tour {
        private final int[] cities;
        private final int length;

        Tour(int[] cities, int length) {
            this.cities = cities;
            this.length = length;
        }
    }

    private final int[][] distances;
    private final Object lock = new Object();
    private final Tour[] stack;
    private int left, shortest = Integer.MAX_VALUE;

    Tsp(int cities) {
        distances = new int[cities][cities];
        stack = new Tour[cities];
        for (int i = 0; i < cities; i++) {
            for (int j = 0; j < cities; j++) {
                distances[i][j] = i == j ? 0 : 10 + (i * j * 7 + (i + j) * 13) % 40;
            }
        }
        for (int next = 1; next < cities; next++) {
            stack[left++] = new Tour(new int[] {0, next}, distances[0][next]);
        }
    }

    private synchronized Tour take() {
        return left == 0 ? null : stack[--left];
    }

    private void improve(int length) {
        synchronized (lock) {
            if (length < shortest) {
                shortest = length;
            }
        }
    }

    private void extend(int[] path, boolean[] visited, int depth, int length) {
        if (length >= shortest) { // no lock
            return;
        }
        if (depth == path.length) {
            improve(length + distances[path[depth - 1]][0]);
            return;
        }
        for (int next = 1; next < path.length; next++) {
            if (!visited[next]) {
                visited[next] = true;
                path[depth] = next;
                extend(path, visited, depth + 1, length + distances[path[depth - 1]][next]);
                visited[next] = false;
            }
        }
    }

    private void solve(Tour first) {
        for (Tour tour = first; tour != null; tour = take()) {
            int[] path = new int[distances.length];
            boolean[] visited = new boolean[distances.length];
            for (int i = 0; i < tour.cities.length; i++) {
                path[i] = tour.cities[i];
                visited[path[i]] = true;
            }
            extend(path, visited, tour.cities.length, tour.length);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Tsp tsp = new Tsp(args.length > 0 ? Integer.parseInt(args[0]) : 5);
        Thread[] threads = new Thread[args.length > 1 ? Integer.parseInt(args[1]) : 3];
        for (int i = 0; i < threads.length; i++) {
            Tour first = tsp.take(); // so that everybody has something to do
            threads[i] = new Thread(() -> tsp.solve(first));
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(tsp.shortest);
    }
}
