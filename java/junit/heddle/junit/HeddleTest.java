package heddle.junit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that is run again and again, each time along another schedule of its threads, until one fails or the time is over.
 * Each run has its own instance of the class.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Test
@ExtendWith(HeddleExtension.class)
public @interface HeddleTest {
    /** How long to look for a failure. */
    double seconds() default 10;

    /** How many runs at most. */
    int runs() default Integer.MAX_VALUE;

    /** The schedules of another seed are others. */
    long seed() default 0;

    /** After how many seconds a single run counts as one that does not end. */
    double hang() default 10;
}
