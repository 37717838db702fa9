import static org.junit.jupiter.api.Assertions.assertTrue;

import heddle.junit.HeddleTest;
import org.junit.jupiter.api.BeforeEach;

/**
 * An account that two people draw from. The first test fails along some schedules, and @HeddleTest finds one:
 *
 * <pre>
 * javac -cp /usr/share/java/heddle-junit.jar:/usr/share/java/junit-jupiter-api.jar -d classes AccountTest.java
 * java -agentpath:/usr/lib/x86_64-linux-gnu/heddle/libheddle-java.so=junit \
 *     -jar /usr/share/java/junit-platform-console-standalone.jar \
 *     -cp classes:/usr/share/java/heddle-junit.jar -c AccountTest
 * </pre>
 */
class AccountTest {
    private int balance;

    @BeforeEach
    void deposit() {
        balance = 100;
    }

    private void withdraw(int amount) {
        if (balance >= amount) {
            balance -= amount;
        }
    }

    private synchronized void withdrawLocked(int amount) {
        withdraw(amount);
    }

    private static void twice(Runnable task) throws InterruptedException {
        Thread first = new Thread(task), second = new Thread(task);
        first.start();
        second.start();
        first.join();
        second.join();
    }

    @HeddleTest(seconds = 1)
    void withdrawTwice() throws InterruptedException {
        twice(() -> withdraw(80));
        assertTrue(balance >= 0, "the account is overdrawn");
    }

    @HeddleTest(seconds = 1)
    void withdrawOnce() throws InterruptedException {
        twice(() -> withdrawLocked(80));
        assertTrue(balance >= 0, "the account is overdrawn");
    }
}
