/* A Java agent that is shown every class and changes none: what any agent that rewrites classes costs at least.
 */
#include <jvmti.h>

static void JNICALL class_loads(jvmtiEnv *jvmti, JNIEnv *env, jclass redefined, jobject loader,
                                const char *name, jobject domain, jint length, const unsigned char *data,
                                jint *new_length, unsigned char **new_data)
{
    (void)jvmti;
    (void)env;
    (void)redefined;
    (void)loader;
    (void)name;
    (void)domain;
    (void)length;
    (void)data;
    (void)new_length;
    (void)new_data;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    const jvmtiCapabilities wanted = {.can_generate_all_class_hook_events = 1};
    const jvmtiEventCallbacks callbacks = {.ClassFileLoadHook = class_loads};
    jvmtiEnv *machine = NULL;

    (void)options;
    (void)reserved;
    if ((*vm)->GetEnv(vm, (void **)&machine, JVMTI_VERSION_11) != JNI_OK ||
        (*machine)->AddCapabilities(machine, &wanted) != JVMTI_ERROR_NONE ||
        (*machine)->SetEventCallbacks(machine, &callbacks, sizeof callbacks) != JVMTI_ERROR_NONE ||
        (*machine)->SetEventNotificationMode(machine, JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL) !=
            JVMTI_ERROR_NONE)
        return JNI_ERR;
    return JNI_OK;
}
