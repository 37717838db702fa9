import java.io.File;
import org.apache.tools.ant.Project;
import org.apache.tools.ant.ProjectHelper;

/** A project with tasks in parallel. */
public class AntTasks {
    public static void main(String[] args) throws Exception {
        File file = new File("build.xml");
        StringBuilder text = new StringBuilder("<project default='all'><target name='all'><parallel threadCount='3'>");
        for (int i = 0; i < 12; i++) {
            text.append("<sequential><property name='p" + i + "' value='v" + i + "'/><echo file='out" + i + "'>${p" + i
                + "}</echo><copy file='out" + i + "' tofile='copy" + i + "' overwrite='true'/><checksum file='copy" + i
                + "' property='sum" + i + "'/></sequential>");
        }
        java.nio.file.Files.writeString(file.toPath(), text + "</parallel></target></project>");
        Project project = new Project();
        project.init();
        ProjectHelper.configureProject(project, file);
        project.executeTarget("all");
        int sums = 0;
        for (int i = 0; i < 12; i++) {
            sums += project.getProperty("sum" + i) != null ? 1 : 0;
        }
        System.out.println(sums + " sums");
    }
}
