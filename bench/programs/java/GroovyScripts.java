import groovy.lang.Binding;
import groovy.lang.GroovyShell;
import java.util.concurrent.atomic.AtomicInteger;

/** Three threads compile and run scripts. */
public class GroovyScripts {
    public static void main(String[] args) throws Exception {
        AtomicInteger sum = new AtomicInteger();
        Work.inThreads(3, number -> {
            for (int i = 0; i < 3; i++) {
                Binding binding = new Binding();
                binding.setVariable("n", i);
                Object result = new GroovyShell(binding).evaluate("def total = 0; (1..10).each { total += it * n }; total");
                sum.addAndGet(((Number) result).intValue());
            }
        });
        System.out.println(sum);
    }
}
