// expect: race=yes deadlock=no
/** Sells until the flight is full, looking at the flag without the lock: it may be oversold. */
public class Airline {
    private static final int SEATS = 2;
    private int sold;
    private boolean stop;

    synchronized void sell() {
        sold++;
        if (sold >= SEATS) {
            stop = true;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Airline airline = new Airline();
        Thread[] agents = new Thread[4];
        for (int i = 0; i < agents.length; i++) {
            agents[i] = new Thread(() -> {
                if (!airline.stop) {
                    airline.sell();
                }
            });
            agents[i].start();
        }
        for (Thread agent : agents) {
            agent.join();
        }
        System.out.println(airline.sold >= SEATS ? "full" : "seats left");
    }
}
