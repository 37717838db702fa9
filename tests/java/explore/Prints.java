/** The order of output is all that differs. */
public class Prints {
    public static void main(String[] args) {
        new Thread(() -> System.out.println("one")).start();
        new Thread(() -> System.out.println("two")).start();
        System.out.println("main");
    }
}
