// expect: race=no unordered=no deadlock=no
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;

/** What is sent orders who sends and who receives: through a pipe of the JDK, a socket, a pipe of the system, through memory. */
public class Channels {
    private static int viaPipe, viaSocket, viaChannel, viaBytes, viaText, reflected;

    interface Work {
        void run() throws Exception;
    }

    static Thread start(Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        thread.start();
        return thread;
    }

    static void pipe() throws Exception {
        PipedOutputStream out = new PipedOutputStream();
        PipedInputStream in = new PipedInputStream(out);
        Thread sender = start(() -> {
            viaPipe = 1;
            out.write(7);
            out.flush();
        });
        if (in.read() == 7) {
            viaPipe++;
        }
        sender.join();
    }

    static void socket() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread sender = start(() -> {
                try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
                    OutputStream out = socket.getOutputStream();
                    viaSocket = 1;
                    new DataOutputStream(out).writeInt(7);
                }
            });
            try (Socket socket = server.accept()) {
                InputStream in = socket.getInputStream();
                if (new DataInputStream(in).readInt() == 7) {
                    viaSocket++;
                }
            }
            sender.join();
        }
    }

    static void channel() throws Exception {
        Pipe pipe = Pipe.open();
        Thread sender = start(() -> {
            viaChannel = 1;
            pipe.sink().write(ByteBuffer.wrap(new byte[] {7}));
        });
        if (pipe.source().read(ByteBuffer.allocate(1)) == 1) {
            viaChannel++;
        }
        sender.join();
    }

    /** What a stream around an array of bytes, or a text, printed is looked for in there. */
    static void memory() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(bytes, true);
        Thread prints = start(() -> {
            viaBytes = 1;
            stream.println("ready");
        });
        while (!bytes.toString().contains("ready")) {
            Thread.sleep(1);
        }
        viaBytes++;
        StringWriter text = new StringWriter();
        PrintWriter writer = new PrintWriter(text);
        Thread writes = start(() -> {
            viaText = 1;
            writer.println("ready");
        });
        while (text.getBuffer().indexOf("ready") < 0) {
            Thread.sleep(1);
        }
        viaText++;
        prints.join();
        writes.join();
    }

    public static void main(String[] arguments) throws Exception {
        pipe();
        socket();
        channel();
        memory();
        Thread thread = start(() -> reflected = 1);
        Thread.class.getMethod("join").invoke(thread);
        reflected++;
    }
}
