// JaConTeBe: a cache of formats in a HashMap, looked at without the lock that it is filled under (lang)
import java.util.HashMap;
import java.util.Map;

public class FormatCache {
    private static final Map<String, String> formats = new HashMap<>();

    private static String get(String pattern) {
        String format = formats.get(pattern);
        if (format == null) {
            synchronized (formats) {
                format = "<" + pattern + ">";
                formats.put(pattern, format);
            }
        }
        return format;
    }

    public static void main(String[] args) throws InterruptedException {
        Thread one = new Thread(() -> get("a")), other = new Thread(() -> get("b"));
        one.start();
        other.start();
        one.join();
        other.join();
    }
}
