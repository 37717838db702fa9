import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.RAMDirectory;
import org.apache.lucene.util.Version;

/** Three threads write into one index; three search in it. */
public class Lucene {
    public static void main(String[] args) throws Exception {
        RAMDirectory directory = new RAMDirectory();
        IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig(Version.LATEST, new StandardAnalyzer()));
        Work.inThreads(3, number -> {
            for (int i = 0; i < 30; i++) {
                Document document = new Document();
                document.add(new TextField("text", "common word" + i + " thread" + number, Field.Store.YES));
                writer.addDocument(document);
            }
            writer.commit();
        });
        writer.close();
        int[] hits = new int[3];
        try (DirectoryReader reader = DirectoryReader.open(directory)) {
            IndexSearcher searcher = new IndexSearcher(reader);
            Work.inThreads(3, number -> {
                for (int i = 0; i < 20; i++) {
                    hits[number] += searcher.search(new TermQuery(new Term("text", "word" + i)), 10).totalHits;
                }
            });
        }
        System.out.println(hits[0] + " " + hits[1] + " " + hits[2] + " hits");
    }
}
