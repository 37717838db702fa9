import java.util.concurrent.atomic.AtomicLong;
import org.jctools.queues.MpscArrayQueue;
import org.jctools.queues.SpscArrayQueue;

/** Two producers and a consumer; then one of each. */
public class JcTools {
    static final class Message {
        int value;
    }

    public static void main(String[] args) throws Exception {
        MpscArrayQueue<Message> many = new MpscArrayQueue<>(64);
        SpscArrayQueue<Message> single = new SpscArrayQueue<>(64);
        AtomicLong sum = new AtomicLong();
        Work.inThreads(3, number -> {
            for (int i = 0; i < 400; i++) {
                Message message = new Message();
                message.value = 1;
                if (number < 2) {
                    while (!many.offer(message)) {
                        Thread.yield();
                    }
                } else {
                    for (int round = 0; round < 2; round++) {
                        while ((message = many.poll()) == null) {
                            Thread.yield();
                        }
                        sum.addAndGet(message.value);
                    }
                }
            }
        });
        Work.inThreads(2, number -> {
            for (int i = 0; i < 400; i++) {
                Message message = new Message();
                message.value = 1;
                if (number == 0) {
                    while (!single.offer(message)) {
                        Thread.yield();
                    }
                } else {
                    while ((message = single.poll()) == null) {
                        Thread.yield();
                    }
                    sum.addAndGet(message.value);
                }
            }
        });
        System.out.println(sum + " received");
    }
}
