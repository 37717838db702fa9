/** A block cipher over arrays: each thread encrypts and decrypts its part of a text. */
public final class Crypt {
    private static final int ROUNDS = 8, KEYS = 6 * ROUNDS + 4;

    private Crypt() {
    }

    private static int times(int a, int b) {
        if (a == 0) {
            return 0x10001 - b & 0xffff;
        }
        if (b == 0) {
            return 0x10001 - a & 0xffff;
        }
        int product = a * b;
        int low = product & 0xffff;
        int high = product >>> 16;
        return low - high + (low < high ? 1 : 0) & 0xffff;
    }

    private static void cipher(byte[] from, byte[] to, int[] keys, int start, int end) {
        for (int i = start; i < end; i += 8) {
            int a = from[i] & 0xff | (from[i + 1] & 0xff) << 8;
            int b = from[i + 2] & 0xff | (from[i + 3] & 0xff) << 8;
            int c = from[i + 4] & 0xff | (from[i + 5] & 0xff) << 8;
            int d = from[i + 6] & 0xff | (from[i + 7] & 0xff) << 8;
            int at = 0;
            for (int round = 0; round < ROUNDS; round++) {
                a = times(a, keys[at++]);
                b = b + keys[at++] & 0xffff;
                c = c + keys[at++] & 0xffff;
                d = times(d, keys[at++]);
                int e = times(a ^ c, keys[at++]);
                int f = times((b ^ d) + e & 0xffff, keys[at++]);
                e = e + f & 0xffff;
                a ^= f;
                d ^= e;
                int swapped = b ^ e;
                b = c ^ f;
                c = swapped;
            }
            a = times(a, keys[at]);
            int other = b + keys[at + 2] & 0xffff;
            b = c + keys[at + 1] & 0xffff;
            c = other;
            d = times(d, keys[at + 3]);
            to[i] = (byte) a;
            to[i + 1] = (byte) (a >>> 8);
            to[i + 2] = (byte) b;
            to[i + 3] = (byte) (b >>> 8);
            to[i + 4] = (byte) c;
            to[i + 5] = (byte) (c >>> 8);
            to[i + 6] = (byte) d;
            to[i + 7] = (byte) (d >>> 8);
        }
    }

    private static int inverse(int x) {
        int result = 1;
        for (int power = 0x10001 - 2; power > 0; power >>= 1) { // x to the power of p - 2
            if ((power & 1) != 0) {
                result = times(result, x);
            }
            x = times(x, x);
        }
        return result;
    }

    private static int[] reversed(int[] keys) {
        int[] made = new int[KEYS];
        for (int round = 0; round <= ROUNDS; round++) {
            int to = 6 * round;
            int from = 6 * (ROUNDS - round);
            boolean swaps = round > 0 && round < ROUNDS;
            made[to] = inverse(keys[from]);
            made[to + 1] = -keys[from + (swaps ? 2 : 1)] & 0xffff;
            made[to + 2] = -keys[from + (swaps ? 1 : 2)] & 0xffff;
            made[to + 3] = inverse(keys[from + 3]);
            if (round < ROUNDS) {
                made[to + 4] = keys[from - 2];
                made[to + 5] = keys[from - 1];
            }
        }
        return made;
    }

    private static void run(byte[] from, byte[] to, int[] keys, int threads) throws InterruptedException {
        Thread[] workers = new Thread[threads];
        int part = from.length / 8 / threads * 8;
        for (int t = 0; t < threads; t++) {
            int start = t * part;
            int end = t == threads - 1 ? from.length : start + part;
            workers[t] = new Thread(() -> cipher(from, to, keys, start, end));
            workers[t].start();
        }
        for (Thread worker : workers) {
            worker.join();
        }
    }

    /** BYTES THREADS */
    public static void main(String[] args) throws InterruptedException {
        int size = Integer.parseInt(args[0]) / 8 * 8;
        int threads = Integer.parseInt(args[1]);
        byte[] plain = new byte[size];
        byte[] encrypted = new byte[size];
        byte[] back = new byte[size];
        int[] keys = new int[KEYS];
        int seed = 1;
        for (int i = 0; i < size; i++) {
            plain[i] = (byte) i;
        }
        for (int i = 0; i < KEYS; i++) {
            seed = seed * 1103515245 + 12345;
            keys[i] = seed >>> 16;
        }
        run(plain, encrypted, keys, threads);
        run(encrypted, back, reversed(keys), threads);
        for (int i = 0; i < size; i++) {
            if (plain[i] != back[i]) {
                throw new IllegalStateException("byte " + i + " differs");
            }
        }
        System.out.println("decrypted");
    }
}
