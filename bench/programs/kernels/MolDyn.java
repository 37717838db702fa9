import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;

/** Particles that attract each other: each thread has its own copy of them and adds up its share of the forces. */
public final class MolDyn {
    private static final class Particle {
        double x, y, z;
        double vx, vy, vz;
        double fx, fy, fz;

        void pull(Particle[] all, int from, double[][] forces) {
            double ax = 0;
            double ay = 0;
            double az = 0;
            for (int i = from; i < all.length; i++) {
                Particle other = all[i];
                double dx = x - other.x;
                double dy = y - other.y;
                double dz = z - other.z;
                double distance = dx * dx + dy * dy + dz * dz + 0.01;
                if (distance < 4) {
                    double force = 1 / (distance * distance);
                    ax += dx * force;
                    ay += dy * force;
                    az += dz * force;
                    forces[0][i] -= dx * force;
                    forces[1][i] -= dy * force;
                    forces[2][i] -= dz * force;
                }
            }
            forces[0][from - 1] += ax;
            forces[1][from - 1] += ay;
            forces[2][from - 1] += az;
        }

        void move() {
            vx += fx * 1e-4;
            vy += fy * 1e-4;
            vz += fz * 1e-4;
            x += vx * 1e-4;
            y += vy * 1e-4;
            z += vz * 1e-4;
        }
    }

    private static double[][][] shares; // thread, axis, particle

    private MolDyn() {
    }

    private static void simulate(int number, int threads, int count, int steps, CyclicBarrier barrier)
        throws InterruptedException, BrokenBarrierException {
        Particle[] all = new Particle[count];
        int seed = 5;
        for (int i = 0; i < count; i++) {
            all[i] = new Particle();
            seed = seed * 1103515245 + 12345;
            all[i].x = (seed >>> 8 & 0xff) / 32.0;
            all[i].y = (seed >>> 16 & 0xff) / 32.0;
            all[i].z = (seed >>> 20 & 0xff) / 32.0;
        }
        for (int step = 0; step < steps; step++) {
            double[][] own = new double[3][count];
            for (int i = number; i < count - 1; i += threads) {
                all[i].pull(all, i + 1, own);
            }
            shares[number] = own;
            barrier.await();
            for (int i = 0; i < count; i++) {
                double fx = 0;
                double fy = 0;
                double fz = 0;
                for (int t = 0; t < threads; t++) {
                    fx += shares[t][0][i];
                    fy += shares[t][1][i];
                    fz += shares[t][2][i];
                }
                all[i].fx = fx;
                all[i].fy = fy;
                all[i].fz = fz;
                all[i].move();
            }
            barrier.await();
        }
    }

    /** PARTICLES THREADS STEPS */
    public static void main(String[] args) throws InterruptedException {
        int count = Integer.parseInt(args[0]);
        int threads = Integer.parseInt(args[1]);
        int steps = Integer.parseInt(args[2]);
        CyclicBarrier barrier = new CyclicBarrier(threads);
        shares = new double[threads][][];
        Thread[] workers = new Thread[threads];
        for (int t = 0; t < threads; t++) {
            int number = t;
            workers[t] = new Thread(() -> {
                try {
                    simulate(number, threads, count, steps, barrier);
                } catch (InterruptedException | BrokenBarrierException e) {
                    throw new IllegalStateException(e);
                }
            });
            workers[t].start();
        }
        for (Thread worker : workers) {
            worker.join();
        }
        System.out.println("moved");
    }
}
