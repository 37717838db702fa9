import java.security.SecureRandom;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.Collections;
import java.util.Date;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** How many accesses a thread makes, and what it prints, depends on the time and on random numbers of all kinds. */
public class World {
    static int shared;

    static void touch(String what, long number) {
        for (long i = 0; i < Math.floorMod(number, 7L); i++) {
            shared++;
        }
        System.out.println(Thread.currentThread().getName() + " " + what + " " + number);
    }

    static void ask() {
        touch("nanoTime", System.nanoTime());
        touch("currentTimeMillis", System.currentTimeMillis());
        touch("Date", new Date().getTime());
        touch("Calendar", Calendar.getInstance().getTimeInMillis());
        touch("Instant", Instant.now().getNano());
        touch("LocalDateTime", LocalDateTime.now().getNano());
        touch("Random", new Random().nextLong());
        touch("Math.random", Double.doubleToRawLongBits(Math.random()));
        touch("ThreadLocalRandom", ThreadLocalRandom.current().nextLong());
        touch("ThreadLocalRandom", ThreadLocalRandom.current().nextLong());
        touch("SecureRandom", new SecureRandom().nextLong());
        touch("UUID", UUID.randomUUID().getLeastSignificantBits());
        List<Integer> cards = new ArrayList<>(List.of(1, 2, 3, 4, 5, 6, 7, 8, 9));
        Collections.shuffle(cards);
        touch("shuffle", cards.hashCode());
        for (long end = System.nanoTime() + 2_000_000; System.nanoTime() < end;) {
            Thread.onSpinWait();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread other = new Thread(World::ask);
        other.start();
        ask();
        other.join();
        System.out.println(shared);
    }
}
