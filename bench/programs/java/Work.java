/** Threads that do the same work, each with its number. */
final class Work {
    private Work() {
    }

    interface Task {
        void run(int number) throws Exception;
    }

    static void inThreads(int count, Task task) throws InterruptedException {
        Thread[] threads = new Thread[count];
        for (int i = 0; i < count; i++) {
            int number = i;
            threads[i] = new Thread(() -> {
                try {
                    task.run(number);
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
