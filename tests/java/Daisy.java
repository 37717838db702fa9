// expect: race=no nondet=yes deadlock=no
/**
 * A file system in memory: every file and every block has its own lock, taken in that order. Clients create, write, read
 * and delete the same few files. Operations for each client may be given.
 */
public class Daisy {
    private static final int FILES = 4, BLOCKS = 10, LONGEST = 3, CLIENTS = 2;

    static final class Block {
        private boolean used;
        private int data;

        synchronized boolean take() {
            if (used) {
                return false;
            }
            used = true;
            data = 0;
            return true;
        }

        synchronized void free() {
            used = false;
        }

        synchronized void write(int value) {
            data = value;
        }

        synchronized int read() {
            return data;
        }
    }

    /** Whoever uses a file holds its lock. */
    static final class Inode {
        private final int first; // where to look for a free block
        private final Block[] blocks = new Block[LONGEST];
        private boolean exists;
        private int size;

        Inode(int first) {
            this.first = first;
        }

        void append(Block[] disk, int value) {
            if (!exists || size == LONGEST) {
                return;
            }
            for (int i = 0; i < BLOCKS; i++) {
                Block block = disk[(first + i) % BLOCKS];
                if (block.take()) {
                    blocks[size++] = block;
                    block.write(value);
                    return;
                }
            }
        }

        int sum() {
            int total = 0;
            for (int i = 0; i < size; i++) {
                total += blocks[i].read();
            }
            return total;
        }

        void clear() {
            while (size > 0) {
                blocks[--size].free();
            }
            exists = false;
        }
    }

    private final Inode[] files = new Inode[FILES];
    private final Block[] disk = new Block[BLOCKS];

    Daisy() {
        for (int i = 0; i < FILES; i++) {
            files[i] = new Inode(i * LONGEST);
        }
        for (int i = 0; i < BLOCKS; i++) {
            disk[i] = new Block();
        }
    }

    private int work(int operations) {
        int total = 0;
        for (int i = 0; i < operations; i++) {
            Inode file = files[i % FILES];
            synchronized (file) {
                if (!file.exists) {
                    file.exists = true;
                } else if (i % 7 == 6) {
                    file.clear();
                } else if (i % 3 == 2) {
                    total += file.sum();
                }
                file.append(disk, i);
            }
        }
        return total;
    }

    public static void main(String[] args) throws InterruptedException {
        int operations = args.length > 0 ? Integer.parseInt(args[0]) : 12;
        Daisy daisy = new Daisy();
        Thread[] clients = new Thread[CLIENTS];
        int[] totals = new int[CLIENTS];
        for (int i = 0; i < CLIENTS; i++) {
            int self = i;
            clients[i] = new Thread(() -> totals[self] = daisy.work(operations));
            clients[i].start();
        }
        for (Thread client : clients) {
            client.join();
        }
        System.out.println(totals[0] + totals[1] >= 0);
    }
}
