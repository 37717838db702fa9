// SCTBench, CalFuzzer: the length of another buffer is asked under its lock, its characters are taken under it again
public class StringCopy {
    private final char[] characters = new char[8];
    private int length = 4;

    synchronized int length() {
        return length;
    }

    synchronized void shorten() {
        length = 0;
    }

    synchronized void copy(int count, char[] to) {
        if (count > length) {
            throw new IndexOutOfBoundsException("only " + length);
        }
        System.arraycopy(characters, 0, to, 0, count);
    }

    synchronized void append(StringCopy other) {
        int count = other.length();
        other.copy(count, new char[count]);
    }

    public static void main(String[] args) throws InterruptedException {
        StringCopy first = new StringCopy(), second = new StringCopy();
        Thread appends = new Thread(() -> first.append(second));
        appends.start();
        Thread shortens = new Thread(second::shorten);
        shortens.start();
        appends.join();
        shortens.join();
    }
}
