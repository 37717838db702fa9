// expect: race=no nondet=no deadlock=no unordered=no
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;

/** Over-relaxation again, with a barrier that is one: deterministic. Size, threads, rounds may be given. */
public class SorBarrier extends Sor {
    private final CyclicBarrier barrier;

    SorBarrier(int size, int threads, int rounds) {
        super(size, threads, rounds);
        barrier = new CyclicBarrier(threads);
    }

    @Override
    void meet(int self, int halves) {
        try {
            barrier.await();
        } catch (InterruptedException | BrokenBarrierException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int size = args.length > 0 ? Integer.parseInt(args[0]) : 8;
        int threads = args.length > 1 ? Integer.parseInt(args[1]) : 2;
        System.out.println(new SorBarrier(size, threads, args.length > 2 ? Integer.parseInt(args[2]) : 2).run());
    }
}
