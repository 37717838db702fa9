/** Switches over patterns of records, by two threads. */
public class Patterns {
    sealed interface Tree permits Leaf, Fork {
    }

    record Leaf(int value) implements Tree {
    }

    record Fork(Tree left, Tree right) implements Tree {
    }

    private static int total;

    private static int sum(Tree tree) {
        return switch (tree) {
            case Leaf(int value) when value > 10 -> value * 2;
            case Leaf(int value) -> value;
            case Fork(Leaf(var value), var right) -> value + sum(right);
            case Fork(var left, var right) -> sum(left) + sum(right);
        };
    }

    private static void add(Tree tree) {
        int sum = sum(tree);
        synchronized (Patterns.class) {
            total += sum;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread one = Thread.ofVirtual().start(() -> add(new Fork(new Leaf(1), new Leaf(20))));
        Thread two = Thread.ofVirtual().start(() -> add(new Fork(new Fork(new Leaf(1), new Leaf(2)), new Leaf(2))));
        one.join();
        two.join();
        System.out.println(total);
    }
}
