import org.apache.commons.pool2.BasePooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.apache.commons.pool2.impl.GenericObjectPool;

/** Three threads borrow from a pool of two objects and give back. */
public class Pool2 {
    public static void main(String[] args) throws Exception {
        GenericObjectPool<StringBuilder> pool = new GenericObjectPool<>(new BasePooledObjectFactory<StringBuilder>() {
            @Override
            public StringBuilder create() {
                return new StringBuilder();
            }

            @Override
            public PooledObject<StringBuilder> wrap(StringBuilder text) {
                return new DefaultPooledObject<>(text);
            }
        });
        pool.setMaxTotal(2);
        Work.inThreads(3, number -> {
            for (int i = 0; i < 200; i++) {
                StringBuilder text = pool.borrowObject();
                text.append(number);
                pool.returnObject(text);
            }
        });
        System.out.println(pool.getBorrowedCount() + " borrowed, " + pool.getReturnedCount() + " returned");
        pool.close();
    }
}
