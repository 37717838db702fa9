// expect: race=yes nondet=yes deadlock=no
/**
 * Spheres seen through a window, each thread every so many-th line. The checksum is added up under a lock, but of each
 * thread's own copy of the scene: it races. Size and threads may be given.
 */
public class RayTracer {
    static final class Sphere {
        private final double x, y, z, radius;
        private double shade;

        Sphere(double x, double y, double z, double radius, double shade) {
            this.x = x;
            this.y = y;
            this.z = z;
            this.radius = radius;
            this.shade = shade;
        }

        /** How far along the ray from the origin, or infinity. */
        double distance(double dx, double dy, double dz) {
            double along = x * dx + y * dy + z * dz;
            double rest = radius * radius - (x * x + y * y + z * z - along * along);
            return rest < 0 || along < 0 ? Double.POSITIVE_INFINITY : along - Math.sqrt(rest);
        }
    }

    static final class Scene {
        private final Sphere[] spheres = new Sphere[8];
        private int rays;

        Scene() {
            for (int i = 0; i < spheres.length; i++) {
                spheres[i] = new Sphere(i % 3 - 1, i % 2 - 0.5, 4 + i % 4, 0.8, 10 + i);
            }
        }

        int trace(double dx, double dy) {
            double length = Math.sqrt(dx * dx + dy * dy + 1), nearest = Double.POSITIVE_INFINITY, shade = 1;
            for (Sphere sphere : spheres) {
                double far = sphere.distance(dx / length, dy / length, 1 / length);
                if (far < nearest) {
                    nearest = far;
                    shade = sphere.shade;
                }
            }
            rays++;
            return (int) shade;
        }
    }

    private long checksum;

    private void render(Scene scene, Object lock, int self, int threads, int size) {
        long sum = 0;
        for (int line = self; line < size; line += threads) {
            for (int column = 0; column < size; column++) {
                sum += scene.trace(2.0 * column / size - 1, 2.0 * line / size - 1);
            }
        }
        synchronized (lock) {
            checksum += sum + scene.rays;
        }
    }

    /** With `common`, all threads lock the same. */
    static void run(String[] args, boolean common) throws InterruptedException {
        int size = args.length > 0 ? Integer.parseInt(args[0]) : 4;
        Thread[] threads = new Thread[args.length > 1 ? Integer.parseInt(args[1]) : 2];
        RayTracer tracer = new RayTracer();
        for (int i = 0; i < threads.length; i++) {
            int self = i;
            threads[i] = new Thread(() -> {
                Scene scene = new Scene();
                tracer.render(scene, common ? tracer : scene, self, threads.length, size);
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(tracer.checksum > 0);
    }

    public static void main(String[] args) throws InterruptedException {
        run(args, false);
    }
}
