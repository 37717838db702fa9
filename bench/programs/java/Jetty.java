import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URL;
import java.util.concurrent.atomic.AtomicInteger;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.AbstractHandler;

/** A server, and three clients in the same machine. */
public class Jetty {
    public static void main(String[] args) throws Exception {
        AtomicInteger good = new AtomicInteger();
        Server server = new Server(0);
        server.setHandler(new AbstractHandler() {
            @Override
            public void handle(String target, Request base, HttpServletRequest request, HttpServletResponse response)
                throws IOException {
                response.setStatus(200);
                response.getWriter().print("hello " + target);
                base.setHandled(true);
            }
        });
        server.start();
        int port = ((ServerConnector) server.getConnectors()[0]).getLocalPort();
        Work.inThreads(3, number -> {
            for (int i = 0; i < 10; i++) {
                HttpURLConnection c = (HttpURLConnection) new URL("http://127.0.0.1:" + port + "/" + i).openConnection();
                if (new String(c.getInputStream().readAllBytes()).equals("hello /" + i)) {
                    good.incrementAndGet();
                }
            }
        });
        server.stop();
        System.out.println(good + " answers");
    }
}
