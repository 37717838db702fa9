import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilder;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilderFactory;
import org.apache.logging.log4j.core.config.builder.impl.BuiltConfiguration;

/** Three threads log to a file through an asynchronous appender. */
public class Log4j {
    public static void main(String[] args) throws Exception {
        ConfigurationBuilder<BuiltConfiguration> made = ConfigurationBuilderFactory.newConfigurationBuilder();
        made.setStatusLevel(Level.ERROR);
        made.add(made.newAppender("file", "File").addAttribute("fileName", "log4j.txt").addAttribute("append", false)
            .add(made.newLayout("PatternLayout").addAttribute("pattern", "%t %p %c - %m%n")));
        made.add(made.newAppender("async", "Async").addAttribute("bufferSize", 64)
            .addComponent(made.newComponent("AppenderRef").addAttribute("ref", "file")));
        made.add(made.newRootLogger(Level.INFO).add(made.newAppenderRef("async")));
        LoggerContext context = Configurator.initialize(made.build());
        Work.inThreads(3, number -> {
            Logger logger = context.getLogger("work." + number);
            for (int i = 0; i < 100; i++) {
                logger.info("message {} of {}", i, number);
            }
        });
        context.stop();
        System.out.println(java.nio.file.Files.readAllLines(java.nio.file.Path.of("log4j.txt")).size() + " lines");
    }
}
