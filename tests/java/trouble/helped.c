/* Native code whose own thread calls the program after a while. */
#include <jni.h>
#include <pthread.h>
#include <time.h>

static JavaVM *machine;
static jclass class;
static int after;

static void *call(void *argument)
{
    struct timespec pause = {.tv_sec = after / 1000, .tv_nsec = after % 1000 * 1000000L};
    JNIEnv *env;

    nanosleep(&pause, NULL);
    if ((*machine)->AttachCurrentThread(machine, (void **)&env, NULL) == JNI_OK) {
        (*env)->CallStaticVoidMethod(env, class, (*env)->GetStaticMethodID(env, class, "tell", "()V"));
        (*machine)->DetachCurrentThread(machine);
    }
    return argument;
}

JNIEXPORT void JNICALL Java_Helped_callLater(JNIEnv *env, jclass self, jint millis)
{
    pthread_t thread;

    (*env)->GetJavaVM(env, &machine);
    class = (*env)->NewGlobalRef(env, self);
    after = millis;
    pthread_create(&thread, NULL, call, NULL);
    pthread_detach(thread);
}
