package org.gradle;

import java.util.concurrent.ThreadFactory;

/** Names threads as Gradle does those that talk to its daemon. */
public final class Threads implements ThreadFactory {
    private int made;

    @Override
    public synchronized Thread newThread(Runnable task) {
        return new Thread(task, "/127.0.0.1:1024 to /127.0.0.1:1025 workers Thread " + ++made);
    }
}
