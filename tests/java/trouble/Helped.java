import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Timer;
import java.util.TimerTask;

/** All threads of the program wait, and somebody else lets them go on: after so many seconds. */
public class Helped {
    private static String seconds;
    private static final Object told = new Object();
    private static boolean is;

    private static void tell() {
        synchronized (told) {
            is = true;
            told.notifyAll();
        }
    }

    private static void await() throws InterruptedException {
        synchronized (told) {
            while (!is) {
                told.wait();
            }
        }
    }

    private static int millis() {
        return Integer.parseInt(seconds) * 1000;
    }

    private static void startProcess() throws IOException, InterruptedException {
        new ProcessBuilder("sleep", seconds).start().waitFor();
        tell();
    }

    private static void startHandle() throws IOException {
        new ProcessBuilder("sleep", seconds).start().onExit().thenRun(Helped::tell);
    }

    private static void startTimer() {
        new Timer(true).schedule(new TimerTask() {
            @Override
            public void run() {
                tell();
            }
        }, millis());
    }

    private static void startSocket() throws IOException {
        try (ServerSocket server = new ServerSocket(0)) {
            String client = "sleep " + seconds + "; echo >/dev/tcp/127.0.0.1/" + server.getLocalPort();
            new ProcessBuilder("bash", "-c", client).start();
            try (Socket other = server.accept()) {
                other.getInputStream().read();
            }
            tell();
        }
    }

    private static void startNative() {
        System.loadLibrary("helped");
        callLater(millis());
    }

    private static native void callLater(int millis);

    public static void main(String[] args) throws Exception {
        Thread waiter = new Thread(() -> {
            try {
                await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        seconds = args[1];
        waiter.start();
        switch (args[0]) {
        case "process" -> startProcess();
        case "handle" -> startHandle();
        case "timer" -> startTimer();
        case "socket" -> startSocket();
        case "native" -> startNative();
        case "sleep" -> {
            Thread.sleep(millis());
            tell();
        }
        case "nobody" -> {
        }
        default -> throw new IllegalArgumentException(args[0]);
        }
        waiter.join();
        System.out.println("told");
    }
}
