// CalFuzzer: a task is cancelled while its worker fills it in (hedc)
public class TaskResult {
    private Thread worker;
    private String result = "";

    private void run() {
        worker = Thread.currentThread();
        result = result + "done";
        worker = null;
    }

    private void cancel() {
        if (worker != null) {
            worker.interrupt();
            result = null;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        TaskResult task = new TaskResult();
        Thread runs = new Thread(task::run);
        runs.start();
        task.cancel();
        runs.join();
    }
}
