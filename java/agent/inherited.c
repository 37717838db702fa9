/* Methods that a class of the program may inherit from a collection, a lock, a task, an atomic variable or
 * another object of the JDK that threads share: whoever calls them by the name of that class calls the JDK. */
#include "inherited.h"

#include <string.h>

/* Of the public classes in java.util, java.util.concurrent, its atomic and locks, and java.lang.ref that can be
 * extended; each between spaces. */
static const char *const names[] = {
    " acceptEither acceptEitherAsync accumulate accumulateAndGet acquire acquireInterruptibly ",
    " acquireShared acquireSharedInterruptibly acquireUninterruptibly add addAll addAllAbsent ",
    " addAndGet addElement addFirst addIfAbsent addLast addObserver addToPendingCount ",
    " allowCoreThreadTimeOut allowsCoreThreadTimeOut and andNot applyToEither applyToEitherAsync ",
    " arrive arriveAndAwaitAdvance arriveAndDeregister asIterator asReadLock asReadWriteLock ",
    " asWriteLock attemptMark attemptStamp availablePermits await awaitAdvance ",
    " awaitAdvanceInterruptibly awaitQuiescence awaitTermination bulkRegister byteValue cancel ",
    " capacity cardinality ceiling ceilingEntry ceilingKey clear clearChanged close closeExceptionally ",
    " comparator compareAndExchange compareAndExchangeAcquire compareAndExchangeRelease compareAndSet ",
    " compareAndSetForkJoinTaskTag compareAndSetPendingCount compareAndSetState complete completeAsync ",
    " completeExceptionally completeOnTimeout compute computeIfAbsent computeIfPresent consume ",
    " contains containsAll containsKey containsValue copy copyInto countDown countObservers ",
    " countTokens decrement decrementAndGet decrementPendingCountUnlessZero defaultExecutor ",
    " deleteObserver deleteObservers descendingIterator descendingKeySet descendingMap descendingSet ",
    " done doubleValue drainPermits drainTasksTo drainTo element elementAt elements empty enqueue ",
    " ensureCapacity entrySet estimateMaximumLag estimateMinimumDemand exceptionNow exceptionally ",
    " exceptionallyAsync exceptionallyCompose exceptionallyComposeAsync exchange execute ",
    " externalSubmit first firstComplete firstElement firstEntry firstKey flip floatValue floor ",
    " floorEntry floorKey forEach forEachEntry forEachKey forEachValue forceTermination fork get ",
    " getAcquire getActiveCount getActiveThreadCount getAndAccumulate getAndAdd getAndDecrement ",
    " getAndIncrement getAndSet getAndUpdate getArrivedParties getAsyncMode getClosedException ",
    " getCompletedTaskCount getCompleter getContinueExistingPeriodicTasksAfterShutdownPolicy ",
    " getCorePoolSize getCount getException getExclusiveOwnerThread getExclusiveQueuedThreads ",
    " getExecuteExistingDelayedTasksAfterShutdownPolicy getExecutor getFactory getFirst ",
    " getFirstQueuedThread getForkJoinTaskTag getHoldCount getKeepAliveTime getLargestPoolSize getLast ",
    " getMaxBufferCapacity getMaximumPoolSize getNow getNumberOfDependents getNumberOfSubscribers ",
    " getNumberWaiting getOpaque getOrDefault getOwner getParallelism getParent getParties ",
    " getPendingCount getPhase getPlain getPool getPoolIndex getPoolSize getProperty getQueue ",
    " getQueueLength getQueuedReaderThreads getQueuedSubmissionCount getQueuedTaskCount ",
    " getQueuedThreads getQueuedWriterThreads getRawResult getReadHoldCount getReadLockCount ",
    " getReference getRegisteredParties getRejectedExecutionHandler getRemoveOnCancelPolicy getRoot ",
    " getRunningThreadCount getSharedQueuedThreads getStamp getState getStealCount getSubscribers ",
    " getTaskCount getThenReset getThreadFactory getUnarrivedParties getWaitQueueLength ",
    " getWaitingConsumerCount getWaitingThreads getWriteHoldCount handle handleAsync hasChanged ",
    " hasContended hasMoreElements hasMoreTokens hasQueuedPredecessors hasQueuedSubmissions ",
    " hasQueuedThread hasQueuedThreads hasSubscribers hasWaiters hasWaitingConsumer headMap headSet ",
    " helpComplete higher higherEntry higherKey increment incrementAndGet indexOf insertElementAt ",
    " intValue intersects invoke invokeAll invokeAllUninterruptibly invokeAny isBroken isCancelled ",
    " isClosed isCompletedAbnormally isCompletedExceptionally isCompletedNormally isDone isEmpty ",
    " isEnqueued isFair isHeldByCurrentThread isHeldExclusively isLocked isMarked isQueued isQuiescent ",
    " isReadLocked isShutdown isSubscribed isTerminated isTerminating isWriteLocked ",
    " isWriteLockedByCurrentThread iterator keySet keys last lastElement lastEntry lastIndexOf lastKey ",
    " lazySet lazySubmit length list listIterator load loadFromXML lock lockInterruptibly longValue ",
    " lower lowerEntry lowerKey mappingCount merge minimalCompletionStage navigableKeySet newCondition ",
    " newIncompleteFuture next nextClearBit nextComplete nextElement nextSetBit nextToken ",
    " notifyObservers obtrudeException obtrudeValue offer offerFirst offerLast or orTimeout owns ",
    " parallelStream peek peekFirst peekLast poll pollFirst pollFirstEntry pollLast pollLastEntry ",
    " pollSubmission pop prestartAllCoreThreads prestartCoreThread previousClearBit previousSetBit ",
    " propagateCompletion propertyNames purge push put putAll putFirst putIfAbsent putLast ",
    " quietlyComplete quietlyCompleteRoot quietlyInvoke quietlyJoin quietlyJoinUninterruptibly ",
    " readLock readLockInterruptibly reduce reduceEntries reduceEntriesToDouble reduceEntriesToInt ",
    " reduceEntriesToLong reduceKeys reduceKeysToDouble reduceKeysToInt reduceKeysToLong reducePermits ",
    " reduceToDouble reduceToInt reduceToLong reduceValues reduceValuesToDouble reduceValuesToInt ",
    " reduceValuesToLong refersTo register rehash reinitialize release releaseShared remainingCapacity ",
    " remove removeAll removeAllElements removeElement removeElementAt removeFirst ",
    " removeFirstOccurrence removeIf removeLast removeLastOccurrence removeRange replace replaceAll ",
    " reset resultNow retainAll reversed runAfterBoth runAfterBothAsync runAfterEither ",
    " runAfterEitherAsync runAndReset save schedule scheduleAtFixedRate scheduleWithFixedDelay ",
    " scheduledExecutionTime search searchEntries searchKeys searchValues sequencedEntrySet ",
    " sequencedKeySet sequencedValues set setChanged ",
    " setContinueExistingPeriodicTasksAfterShutdownPolicy setCorePoolSize setElementAt setException ",
    " setExclusiveOwnerThread setExecuteExistingDelayedTasksAfterShutdownPolicy setForkJoinTaskTag ",
    " setKeepAliveTime setMaximumPoolSize setOpaque setParallelism setPendingCount setPlain ",
    " setProperty setRawResult setRejectedExecutionHandler setRelease setRemoveOnCancelPolicy setSize ",
    " setState setThreadFactory shortValue shutdown shutdownNow signal signalAll size sort spliterator ",
    " state store storeToXML stream stringPropertyNames subList subMap subSet submit subscribe sum ",
    " sumThenReset tailMap tailSet take takeFirst takeLast thenAccept thenAcceptAsync thenAcceptBoth ",
    " thenAcceptBothAsync thenApply thenApplyAsync thenCombine thenCombineAsync thenCompose ",
    " thenComposeAsync thenRun thenRunAsync toArray toByteArray toCompletableFuture toLongArray ",
    " transfer trimToSize tryAcquire tryAcquireNanos tryAcquireShared tryAcquireSharedNanos ",
    " tryComplete tryConvertToOptimisticRead tryConvertToReadLock tryConvertToWriteLock tryLock ",
    " tryOptimisticRead tryReadLock tryRelease tryReleaseShared tryTransfer tryUnfork tryUnlockRead ",
    " tryUnlockWrite tryWriteLock unlock unlockRead unlockWrite updateAndGet validate values ",
    " weakCompareAndSet weakCompareAndSetAcquire weakCompareAndSetPlain weakCompareAndSetRelease ",
    " weakCompareAndSetVolatile whenComplete whenCompleteAsync writeLock writeLockInterruptibly xor ",
    NULL,
};

static bool is_in(struct span name, const char *row)
{
    const char *found;

    while ((found = memmem(row, strlen(row), name.data, name.count))) {
        if (found[-1] == ' ' && found[name.count] == ' ') /* the first and the last are spaces */
            return true;
        row = found + 1;
    }
    return false;
}

bool is_inherited(struct span name)
{
    for (const char *const *row = names; *row && name.count; row++)
        if (is_in(name, *row))
            return true;
    return false;
}
