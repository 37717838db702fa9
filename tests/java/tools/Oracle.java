import java.io.FileWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.concurrent.atomic.AtomicLong;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Counts what a program does, by other means than ours: an agent that puts a counter behind each access and monitor with
 * the ASM library. Writes the counts to the file it is given when the program ends.
 */
public final class Oracle {
    public static final AtomicLong accesses = new AtomicLong();
    public static final AtomicLong acquires = new AtomicLong();
    public static final AtomicLong releases = new AtomicLong();

    private Oracle() {
    }

    public static void access() {
        accesses.incrementAndGet();
    }

    public static void acquire() {
        acquires.incrementAndGet();
    }

    public static void release() {
        releases.incrementAndGet();
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
                out.println("accesses " + accesses + "\nacquires " + acquires + "\nreleases " + releases);
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
        private final boolean locks;
        private boolean whole;
        private int pending;

        Counting(MethodVisitor to, int access, String name) {
            super(Opcodes.ASM9, to);
            locks = (access & Opcodes.ACC_SYNCHRONIZED) != 0;
            whole = !name.equals("<init>");
        }

        private void count(String what) {
            super.visitMethodInsn(Opcodes.INVOKESTATIC, "Oracle", what, "()V", false);
        }

        @Override
        public void visitCode() {
            super.visitCode();
            if (locks) {
                count("acquire");
            }
        }

        @Override
        public void visitTypeInsn(int op, String type) {
            super.visitTypeInsn(op, type);
            pending += op == Opcodes.NEW ? 1 : 0;
        }

        @Override
        public void visitMethodInsn(int op, String owner, String name, String descriptor, boolean isInterface) {
            super.visitMethodInsn(op, owner, name, descriptor, isInterface);
            if (op == Opcodes.INVOKESPECIAL && name.equals("<init>")) {
                whole |= pending == 0;
                pending -= pending == 0 ? 0 : 1;
            }
        }

        @Override
        public void visitFieldInsn(int op, String owner, String name, String descriptor) {
            super.visitFieldInsn(op, owner, name, descriptor);
            if (!isJdk(owner) && (whole || op != Opcodes.PUTFIELD)) {
                count("access");
            }
        }

        @Override
        public void visitInsn(int op) {
            if (op >= Opcodes.IRETURN && op <= Opcodes.RETURN && locks) {
                count("release");
            }
            super.visitInsn(op);
            if (op >= Opcodes.IALOAD && op <= Opcodes.SALOAD || op >= Opcodes.IASTORE && op <= Opcodes.SASTORE) {
                count("access");
            } else if (op == Opcodes.MONITORENTER) {
                count("acquire");
            } else if (op == Opcodes.MONITOREXIT) {
                count("release");
            }
        }
    }
}
