import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;

/** Three connections insert, update and select; the argument is the database's address. With another argument the database is
 * only made. */
public class Database {
    public static void main(String[] args) throws Exception {
        try (Connection first = DriverManager.getConnection(args[0]); Statement statement = first.createStatement()) {
            if (args.length > 1) {
                System.exit(0);
            }
            statement.execute("create table item (id int primary key, owner int, amount int)");
            Work.inThreads(3, number -> {
                try (Connection own = DriverManager.getConnection(args[0]);
                     PreparedStatement insert = own.prepareStatement("insert into item values (?, ?, ?)")) {
                    for (int i = 0; i < 15; i++) {
                        insert.setInt(1, number * 1000 + i);
                        insert.setInt(2, number);
                        insert.setInt(3, i);
                        insert.executeUpdate();
                    }
                    try (Statement update = own.createStatement()) {
                        update.executeUpdate("update item set amount = amount + 1 where id = " + number * 1000);
                    }
                }
            });
            try (ResultSet sum = statement.executeQuery("select count(*), sum(amount) from item")) {
                sum.next();
                System.out.println(sum.getInt(1) + " rows, " + sum.getInt(2));
            }
        }
        System.exit(0);
    }
}
