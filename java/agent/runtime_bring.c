/* Brings the runtime's classes into a virtual machine. */
#include "runtime_bring.h"
#include "runtime_classes.h"

bool define_runtime(JNIEnv *env)
{
    for (const struct runtime_class *class = runtime_classes; class->name; class ++) {
        jclass defined =
            (*env)->DefineClass(env, class->name, NULL, (const jbyte *)class->bytes, (jsize) class->length);
        if (!defined)
            return false;
        (*env)->DeleteLocalRef(env, defined);
    }
    return true;
}

/* Lets the runtime use the machine's unsafe accesses, as the JDK does itself. */
bool open_internals(jvmtiEnv *jvmti, JNIEnv *env, jclass hooks)
{
    jclass object = (*env)->FindClass(env, "java/lang/Object");
    jclass class = (*env)->FindClass(env, "java/lang/Class");
    jmethodID module_of = class ? (*env)->GetMethodID(env, class, "getModule", "()Ljava/lang/Module;") : NULL;
    jobject base, ours;

    if (!object || !module_of)
        return false;
    base = (*env)->CallObjectMethod(env, object, module_of);
    if ((*env)->ExceptionCheck(env))
        return false;
    ours = (*env)->CallObjectMethod(env, hooks, module_of);
    return !(*env)->ExceptionCheck(env) &&
           (*jvmti)->AddModuleExports(jvmti, base, "jdk.internal.misc", ours) == JVMTI_ERROR_NONE;
}
