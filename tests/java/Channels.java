// expect: race=no unordered=no deadlock=no
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;

/** What is sent orders who sends and who receives: through a pipe of the JDK, a socket, a pipe of the system. */
public class Channels {
    private static int viaPipe, viaSocket, viaChannel, reflected;

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

    public static void main(String[] arguments) throws Exception {
        pipe();
        socket();
        channel();
        Thread thread = start(() -> reflected = 1);
        Thread.class.getMethod("join").invoke(thread);
        reflected++;
    }
}
