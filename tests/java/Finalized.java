// expect: race=no unordered=no deadlock=no
/** What a constructor writes is there when the object is finalized. */
public class Finalized {
    private static volatile boolean done;
    private int number;

    @SuppressWarnings("deprecation")
    Finalized() {
        number = 7;
    }

    @Override
    @SuppressWarnings({"deprecation", "removal"})
    protected void finalize() {
        number++;
        done = true;
    }

    private static void make() {
        for (int i = 0; i < 10; i++) {
            new Finalized().number++;
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        make();
        for (int i = 0; i < 200 && !done; i++) {
            System.gc();
            Thread.sleep(5);
        }
    }
}
