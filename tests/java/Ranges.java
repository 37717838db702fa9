// expect: race=no unordered=no stale=no
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32;

/** Threads that hand methods of the JDK their own part of an array, or one that all of them only read; elements accessed by a handle. */
public class Ranges {
    private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(int[][].class);
    private static final byte[] bytes = new byte[16], given = {4, 3, 2, 1};
    private static final int[] numbers = new int[16], constants = {5, 3, 1};
    private static final int[][] slots = new int[2][];

    static int work(int from, int to) {
        Arrays.fill(bytes, from, to, (byte) 7);
        Arrays.fill(numbers, from, to, from);
        numbers[from] = to;
        Arrays.sort(numbers, from, to);
        int sum = Arrays.binarySearch(numbers, from, to, to);
        sum += new ByteArrayInputStream(given).read(bytes, from, 4);
        sum += ByteBuffer.wrap(bytes).get(from) + ByteBuffer.wrap(bytes, from, 4).get();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(bytes, from, 4);
        CRC32 check = new CRC32();
        check.update(bytes, from, 4);
        sum += Arrays.copyOf(given, 2)[1] + Arrays.copyOfRange(bytes, from, to)[0] + out.size() + (int) check.getValue();
        sum += Arrays.stream(numbers, from, to).sum() + Arrays.hashCode(constants) + Arrays.asList(1, 2).size();
        return sum + new String(given, 0, 2, java.nio.charset.StandardCharsets.US_ASCII).length();
    }

    public static void main(String[] args) throws InterruptedException {
        Thread other = new Thread(() -> {
            work(8, 16);
            for (int i = 0; i < 4; i++) {
                while (ELEMENT.getAcquire(slots, i % 2) != null) {
                    Thread.onSpinWait();
                }
                ELEMENT.setRelease(slots, i % 2, new int[] {i});
            }
        });
        other.start();
        work(0, 8);
        int sum = 0;
        for (int i = 0; i < 4; i++) {
            int[] item;
            while ((item = (int[]) ELEMENT.getAcquire(slots, i % 2)) == null) {
                Thread.onSpinWait();
            }
            sum += item[0]++;
            ELEMENT.setRelease(slots, i % 2, (int[]) null);
        }
        other.join();
        System.out.println(sum);
    }
}
