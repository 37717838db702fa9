import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.OutputStreamAppender;
import java.io.ByteArrayOutputStream;

/** Three threads log through an asynchronous appender. */
public class Logback {
    public static void main(String[] args) throws Exception {
        LoggerContext context = new LoggerContext();
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setPattern("%thread %level %logger - %msg%n");
        encoder.start();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        OutputStreamAppender<ILoggingEvent> appender = new OutputStreamAppender<>();
        appender.setContext(context);
        appender.setEncoder(encoder);
        appender.setOutputStream(out);
        appender.start();
        AsyncAppender async = new AsyncAppender();
        async.setContext(context);
        async.setDiscardingThreshold(0);
        async.addAppender(appender);
        async.start();
        Logger root = context.getLogger("ROOT");
        root.addAppender(async);
        Work.inThreads(3, number -> {
            Logger logger = context.getLogger("work." + number);
            for (int i = 0; i < 100; i++) {
                logger.info("message {} of {}", i, number);
            }
        });
        context.stop();
        System.out.println(out.toString().lines().count() + " lines");
    }
}
