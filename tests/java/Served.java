// expect: race=no unordered=no deadlock=no stale=no
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntConsumer;

/** Order through servers, clients and channels of the JDK, through a stream that prints to a socket, through properties. */
public class Served {
    private static int before, after, asked, requests, answered, printed, ready;

    /** What is called when something has come. */
    static final class Then<T> implements CompletionHandler<T, Void> {
        private final java.util.function.Consumer<T> next;

        Then(java.util.function.Consumer<T> next) {
            this.next = next;
        }

        @Override
        public void completed(T result, Void nothing) {
            next.accept(result);
        }

        @Override
        public void failed(Throwable exception, Void nothing) {
            throw new AssertionError(exception);
        }
    }

    static void channels() throws Exception {
        InetSocketAddress local = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        AsynchronousServerSocketChannel server = AsynchronousServerSocketChannel.open().bind(local);
        CountDownLatch done = new CountDownLatch(1);
        IntConsumer ends = count -> {
            after = before + count;
            done.countDown();
        };
        before = 5;
        server.accept(null, new Then<>(channel -> {
            before++;
            channel.read(ByteBuffer.allocate(1), null, new Then<>(ends::accept));
        }));
        AsynchronousSocketChannel client = AsynchronousSocketChannel.open();
        client.connect(server.getLocalAddress()).get();
        client.write(ByteBuffer.wrap(new byte[] {1})).get();
        done.await();
        System.out.println(after);
        client.close();
        server.close();
    }

    static void requests() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            requests += asked;
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.start();
        URI address = URI.create("http://localhost:" + server.getAddress().getPort() + "/");
        HttpRequest request = HttpRequest.newBuilder(address).build();
        HttpClient client = HttpClient.newHttpClient();
        asked = 1;
        client.send(request, BodyHandlers.discarding());
        requests++;
        asked = 2;
        client.sendAsync(request, BodyHandlers.discarding()).thenAccept(answer -> answered = answer.statusCode()).get();
        System.out.println(requests + " " + answered);
        server.stop(0);
    }

    static void printing() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread prints = new Thread(() -> {
                try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
                    printed = 3;
                    new PrintStream(socket.getOutputStream(), true).println("now");
                } catch (java.io.IOException e) {
                    throw new AssertionError(e);
                }
            });
            prints.start();
            try (Socket socket = server.accept()) {
                new BufferedReader(new InputStreamReader(socket.getInputStream())).readLine();
                System.out.println(printed);
            }
            prints.join();
        }
    }

    static void properties() throws InterruptedException {
        Thread sets = new Thread(() -> {
            ready = 8;
            System.setProperty("served.ready", "yes");
        });
        sets.start();
        while (System.getProperty("served.ready") == null) {
            Thread.onSpinWait();
        }
        System.out.println(ready);
        sets.join();
    }

    public static void main(String[] args) throws Exception {
        channels();
        requests();
        printing();
        properties();
        System.exit(0); // the client's threads may stay for a while
    }
}
