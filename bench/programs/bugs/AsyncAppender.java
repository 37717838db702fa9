// JaConTeBe: an appender whose buffer is full waits for a dispatcher that has just ended (log4j)
import java.util.ArrayList;
import java.util.List;

public class AsyncAppender {
    private static final List<String> buffer = new ArrayList<>();
    private static volatile boolean closed;

    private static void append(String line) throws InterruptedException {
        synchronized (buffer) {
            while (buffer.size() >= 2) {
                buffer.wait();
            }
            buffer.add(line);
            buffer.notifyAll();
        }
    }

    private static void dispatch() {
        try {
            while (!closed) {
                synchronized (buffer) {
                    while (buffer.isEmpty() && !closed) {
                        buffer.wait();
                    }
                    buffer.clear();
                    buffer.notifyAll();
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread dispatcher = new Thread(AsyncAppender::dispatch);
        dispatcher.start();
        Thread logs = new Thread(() -> {
            try {
                for (int i = 0; i < 5; i++) {
                    append("line");
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        logs.start();
        Thread.sleep(50);
        closed = true;
        synchronized (buffer) {
            buffer.notifyAll();
        }
        logs.join();
        dispatcher.join();
    }
}
