import java.io.FileWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Array;
import java.security.ProtectionDomain;
import java.util.concurrent.atomic.AtomicLongArray;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Counts what a program does, by other means than ours: an agent that puts a counter behind each access and monitor with
 * the ASM library. Writes the counts to the file it is given when the program ends.
 */
public final class Oracle {
    private static final String[] KINDS = {"field reads", "field writes", "static reads", "static writes", "element reads",
        "element writes", "monitor acquires", "monitor releases"};
    private static final int FIELD_READ = 0, FIELD_WRITE = 1, STATIC_READ = 2, STATIC_WRITE = 3, ELEMENT_READ = 4,
        ELEMENT_WRITE = 5, ACQUIRE = 6, RELEASE = 7;
    private static final AtomicLongArray counts = new AtomicLongArray(KINDS.length);

    private Oracle() {
    }

    public static void count(int kind) {
        counts.incrementAndGet(kind);
    }

    /** System.arraycopy, with its elements counted. */
    public static void copy(Object from, int at, Object to, int start, int length) {
        System.arraycopy(from, at, to, start, length);
        counts.addAndGet(ELEMENT_READ, length);
        counts.addAndGet(ELEMENT_WRITE, length);
    }

    /** An array has been copied by its clone method: its elements were read, those of the copy are its first values. */
    public static void cloned(Object copy) {
        counts.addAndGet(ELEMENT_READ, Array.getLength(copy));
    }

    public static void premain(String file, Instrumentation instrumentation) {
        instrumentation.addTransformer(new ClassFileTransformer() {
            @Override
            public byte[] transform(ClassLoader loader, String name, Class<?> type, ProtectionDomain domain, byte[] bytes) {
                return name == null || isJdk(name) ? null : rewrite(bytes);
            }
        });
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try (PrintWriter out = new PrintWriter(new FileWriter(file))) {
                for (int i = 0; i < KINDS.length; i++) {
                    out.println(KINDS[i] + " " + counts.get(i));
                }
            } catch (IOException e) {
                e.printStackTrace();
            }
        }));
    }

    private static boolean isJdk(String name) {
        return name.startsWith("java/") || name.startsWith("javax/") || name.startsWith("jdk/") || name.startsWith("sun/")
            || name.startsWith("com/sun/") || name.startsWith("org/objectweb/") || name.startsWith("Oracle");
    }

    private static byte[] rewrite(byte[] bytes) {
        ClassReader reader = new ClassReader(bytes);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] thrown) {
                return new Counting(super.visitMethod(access, name, descriptor, signature, thrown), access, name);
            }
        }, 0);
        return writer.toByteArray();
    }

    private static final class Counting extends MethodVisitor {
        private final boolean locks; // a synchronized method
        private final Label start = new Label();
        private boolean whole; // not, or no more, before the call of the constructor's super
        private int pending;

        Counting(MethodVisitor to, int access, String name) {
            super(Opcodes.ASM9, to);
            locks = (access & Opcodes.ACC_SYNCHRONIZED) != 0;
            whole = !name.equals("<init>");
        }

        private void counts(int kind) {
            super.visitIntInsn(Opcodes.BIPUSH, kind);
            super.visitMethodInsn(Opcodes.INVOKESTATIC, "Oracle", "count", "(I)V", false);
        }

        @Override
        public void visitCode() {
            super.visitCode();
            if (locks) {
                counts(ACQUIRE);
                super.visitLabel(start);
            }
        }

        /** An exception that leaves a synchronized method releases, too. */
        @Override
        public void visitMaxs(int stack, int locals) {
            if (locks) {
                Label end = new Label();
                super.visitLabel(end);
                super.visitTryCatchBlock(start, end, end, null);
                super.visitFrame(Opcodes.F_FULL, 0, null, 1, new Object[] {"java/lang/Throwable"});
                counts(RELEASE);
                super.visitInsn(Opcodes.ATHROW);
            }
            super.visitMaxs(stack, locals);
        }

        @Override
        public void visitTypeInsn(int op, String type) {
            super.visitTypeInsn(op, type);
            pending += op == Opcodes.NEW ? 1 : 0;
        }

        @Override
        public void visitMethodInsn(int op, String owner, String name, String descriptor, boolean isInterface) {
            if (owner.equals("java/lang/System") && name.equals("arraycopy")) {
                super.visitMethodInsn(op, "Oracle", "copy", descriptor, false);
                return;
            }
            super.visitMethodInsn(op, owner, name, descriptor, isInterface);
            if (owner.startsWith("[") && name.equals("clone")) {
                super.visitInsn(Opcodes.DUP);
                super.visitMethodInsn(Opcodes.INVOKESTATIC, "Oracle", "cloned", "(Ljava/lang/Object;)V", false);
            }
            if (op == Opcodes.INVOKESPECIAL && name.equals("<init>")) {
                whole |= pending == 0;
                pending -= pending == 0 ? 0 : 1;
            }
        }

        @Override
        public void visitFieldInsn(int op, String owner, String name, String descriptor) {
            super.visitFieldInsn(op, owner, name, descriptor);
            if (!isJdk(owner) && (whole || op != Opcodes.PUTFIELD)) {
                counts(op == Opcodes.GETFIELD ? FIELD_READ
                    : op == Opcodes.PUTFIELD ? FIELD_WRITE : op == Opcodes.GETSTATIC ? STATIC_READ : STATIC_WRITE);
            }
        }

        @Override
        public void visitInsn(int op) {
            if (op >= Opcodes.IRETURN && op <= Opcodes.RETURN && locks) {
                counts(RELEASE);
            }
            super.visitInsn(op);
            if (op >= Opcodes.IALOAD && op <= Opcodes.SALOAD) {
                counts(ELEMENT_READ);
            } else if (op >= Opcodes.IASTORE && op <= Opcodes.SASTORE) {
                counts(ELEMENT_WRITE);
            } else if (op == Opcodes.MONITORENTER) {
                counts(ACQUIRE);
            } else if (op == Opcodes.MONITOREXIT) {
                counts(RELEASE);
            }
        }
    }
}
