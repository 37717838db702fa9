// expect: race=no nondet=yes deadlock=no atomicity=no
/** The ray tracer with one lock for the checksum: who adds first is open, the sum is not. */
public class RayTracerLocked {
    public static void main(String[] args) throws InterruptedException {
        RayTracer.run(args, true);
    }
}
