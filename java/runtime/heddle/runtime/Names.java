package heddle.runtime;

import java.util.ArrayList;

/** Names of threads that have a number of all that the machine has made: as if the run had begun with the machine. */
final class Names {
    private int unnamed;
    private final ArrayList<String> pools = new ArrayList<>();

    void give(Thread thread) {
        String name = thread.getName();
        if (name.startsWith("Thread-")) {
            thread.setName("Thread-".concat(Integer.toString(unnamed++)));
        } else if (name.startsWith("pool-") && name.contains("-thread-")) {
            String pool = name.substring(0, name.indexOf("-thread-"));
            if (!pools.contains(pool)) {
                pools.add(pool);
            }
            thread.setName("pool-" + (pools.indexOf(pool) + 1) + name.substring(pool.length()));
        }
    }
}
