// JMCR: the ball is taken away between the question and the stroke
public class PingPong {
    private static volatile Object ball = new Object();

    public static void main(String[] args) throws InterruptedException {
        Thread plays = new Thread(() -> {
            if (ball != null) {
                ball.hashCode();
            }
        });
        Thread takes = new Thread(() -> ball = null);
        plays.start();
        takes.start();
        plays.join();
        takes.join();
    }
}
