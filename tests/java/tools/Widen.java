import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** `Widen FROM TO CLASS`: copies a class and its inner ones with every `goto` as a `goto_w`, which compilers make in large methods. */
public class Widen {
    private static final int GOTO_W = 200;

    private static byte[] widen(byte[] bytes) {
        ClassWriter out = new ClassWriter(0);
        new ClassReader(bytes).accept(new ClassVisitor(Opcodes.ASM9, out) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String type, String signature, String[] thrown) {
                return new MethodVisitor(Opcodes.ASM9, super.visitMethod(access, name, type, signature, thrown)) {
                    @Override
                    public void visitJumpInsn(int opcode, Label label) {
                        super.visitJumpInsn(opcode == Opcodes.GOTO ? GOTO_W : opcode, label);
                    }
                };
            }
        }, 0);
        return out.toByteArray();
    }

    public static void main(String[] args) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of(args[0]), args[2] + "{,$*}.class")) {
            for (Path file : files) {
                Files.write(Path.of(args[1]).resolve(file.getFileName()), widen(Files.readAllBytes(file)));
            }
        }
    }
}
