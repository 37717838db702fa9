// CalFuzzer: a cleaner says that it sleeps, and who sees that interrupts it (cache4j)
public class CacheCleaner {
    private static boolean sleeping;

    public static void main(String[] args) throws InterruptedException {
        Thread cleaner = new Thread(() -> {
            try {
                sleeping = true;
                Thread.sleep(30);
                sleeping = false;
                Thread.sleep(30);
            } catch (InterruptedException e) {
                if (!sleeping) {
                    throw new IllegalStateException("interrupted while it cleans");
                }
            }
        });
        cleaner.start();
        if (sleeping) {
            cleaner.interrupt();
        }
        cleaner.join();
    }
}
