import org.python.util.PythonInterpreter;

/** A script with three threads and a lock. */
public class JythonThreads {
    public static void main(String[] args) {
        try (PythonInterpreter python = new PythonInterpreter()) {
            python.exec(String.join("\n", "import threading", "lock = threading.Lock()", "counts = {}", "def work(number):",
                "    for i in range(60):", "        with lock:", "            counts[i] = counts.get(i, 0) + number",
                "threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]", "for t in threads: t.start()",
                "for t in threads: t.join()", "print sum(counts.values())"));
        }
    }
}
