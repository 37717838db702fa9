/* The agent: rewrites classes as a Java virtual machine loads them, and brings the runtime into it. */
#include "build_tools.h"
#include "gate.h"
#include "hook_sites.h"
#include "hooked.h"
#include "idle.h"
#include "light.h"
#include "machine_log.h"
#include "runtime/protocol/java_log.h"
#include "runtime_bring.h"
#include "settings.h"
#include "startup.h"
#include "stuck_watch.h"
#include "thread_notes.h"
#include "turn_hooks.h"
#include "turn_machine.h"

#include <jvmti.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static struct settings settings;
static struct machine_log machine_log;
static struct rewriter rewriter = {.next_site = 1, .next_class = 1};
static pthread_mutex_t rewriting = PTHREAD_MUTEX_INITIALIZER;
static jvmtiEnv *machine;
static atomic_bool ready;
static uint32_t types;

/* Names classes of objects, and threads, when the runtime first meets them. */
static jint JNICALL name_class(JNIEnv *env, jclass self, jclass type, jboolean jdk)
{
    struct bytes entry = {0};
    char *signature = NULL;
    size_t at;
    jint number;

    (void)env;
    (void)self;
    if ((*machine)->GetClassSignature(machine, type, &signature, NULL) != JVMTI_ERROR_NONE)
        signature = NULL;
    pthread_mutex_lock(&rewriting);
    number = (jint)++types;
    list_begin(&entry, JAVA_ENTRY_TYPE, &at);
    list_u4(&entry, (uint32_t)number);
    list_text(&entry, (struct span){(const uint8_t *)(signature ? signature : "?"),
                                    strnlen(signature ? signature : "?", 60000)});
    put_u1(&entry, jdk ? 1 : 0);
    list_end(&entry, at);
    log_list(&machine_log, &entry);
    pthread_mutex_unlock(&rewriting);
    if (signature)
        (*machine)->Deallocate(machine, (unsigned char *)signature);
    bytes_free(&entry);
    return number;
}

/* Whether the class itself declares the field in which objects keep their number. */
static jboolean JNICALL has_identity(JNIEnv *env, jclass self, jclass type)
{
    jfieldID *fields = NULL;
    jboolean found = JNI_FALSE;
    jint count = 0;
    char *name;

    (void)env;
    (void)self;
    if ((*machine)->GetClassFields(machine, type, &count, &fields) != JVMTI_ERROR_NONE)
        return JNI_FALSE;
    for (jint i = count - 1; i >= 0 && !found; i--) /* it is the last that is declared */
        if ((*machine)->GetFieldName(machine, type, fields[i], &name, NULL, NULL) == JVMTI_ERROR_NONE) {
            found = strcmp(name, IDENTITY_FIELD) == 0;
            (*machine)->Deallocate(machine, (unsigned char *)name);
        }
    (*machine)->Deallocate(machine, (unsigned char *)fields);
    return found;
}

static void JNICALL name_thread(JNIEnv *env, jclass self, jthread thread, jint number)
{
    jvmtiThreadInfo info = {0};
    struct bytes entry = {0};
    const char *name = "";
    size_t at;

    (void)self;
    if ((*machine)->GetThreadInfo(machine, thread, &info) == JVMTI_ERROR_NONE && info.name)
        name = info.name;
    gate_meet(env, thread, number);
    list_begin(&entry, JAVA_ENTRY_THREAD, &at);
    list_u4(&entry, (uint32_t)number);
    list_text(&entry, (struct span){(const uint8_t *)name, strnlen(name, 1000)});
    list_end(&entry, at);
    pthread_mutex_lock(&rewriting);
    log_list(&machine_log, &entry);
    pthread_mutex_unlock(&rewriting);
    bytes_free(&entry);
    if (info.name)
        (*machine)->Deallocate(machine, (unsigned char *)info.name);
    if (info.thread_group)
        (*env)->DeleteLocalRef(env, info.thread_group);
    if (info.context_class_loader)
        (*env)->DeleteLocalRef(env, info.context_class_loader);
}

static void append_to_list(const struct bytes *entries)
{
    pthread_mutex_lock(&rewriting);
    log_list(&machine_log, entries);
    pthread_mutex_unlock(&rewriting);
}

/* The log has no room for this record. Returns for how many it has now. */
static jlong JNICALL grow_log(JNIEnv *env, jclass self, jlong record)
{
    uint64_t room;

    (void)env;
    (void)self;
    pthread_mutex_lock(&rewriting);
    room = machine_log_grow(&machine_log, (uint64_t)record);
    pthread_mutex_unlock(&rewriting);
    return (jlong)room;
}

/* The thread that calls is the only one that was ever recorded, and `slot` is the next it fills. Returns which one that is
 * now. Counts of what a program did (HEDDLE_JAVA_COUNTS) are made of the whole log. */
static jlong JNICALL shorten_log(JNIEnv *env, jclass self, jlong slot, jint labels)
{
    uint64_t next = (uint64_t)slot;

    (void)env;
    (void)self;
    pthread_mutex_lock(&rewriting);
    if (!getenv("HEDDLE_JAVA_COUNTS") && !machine_log.header->ended) {
        struct java_record *records = (struct java_record *)(void *)(machine_log.header + 1);
        next = startup_shorten(records, (uint64_t)slot, (uint32_t)labels, rewriter.fields,
                               rewriter.fields_count, settings.passes == 1);
        machine_log.header->next -= (uint64_t)slot - next;
    }
    pthread_mutex_unlock(&rewriting);
    return (jlong)next;
}

/* How the second of two passes treats the array. */
static jint JNICALL array_treatment(JNIEnv *env, jclass self, jint ordinal)
{
    (void)env;
    (void)self;
    return light_array(rewriter.light, (uint32_t)ordinal);
}

/* Keeps the calling thread for a moment, whatever interrupts it or lets it go on. */
static void JNICALL delay_thread(JNIEnv *env, jclass self, jint nanoseconds)
{
    const struct timespec pause = {.tv_nsec = nanoseconds};

    (void)env;
    (void)self;
    nanosleep(&pause, NULL);
}

/* A thread ends by an exception that nobody catches. */
static void JNICALL name_death(JNIEnv *env, jclass self, jstring thread, jstring exception)
{
    const char *who = (*env)->GetStringUTFChars(env, thread, NULL);
    const char *why = (*env)->GetStringUTFChars(env, exception, NULL);
    struct bytes entry = {0};
    size_t at;

    (void)self;
    if (who && why) {
        list_begin(&entry, JAVA_ENTRY_DIED, &at);
        list_text(&entry, (struct span){(const uint8_t *)who, strnlen(who, 1000)});
        list_text(&entry, (struct span){(const uint8_t *)why, strnlen(why, 1000)});
        list_end(&entry, at);
        append_to_list(&entry);
        bytes_free(&entry);
    }
    if (who)
        (*env)->ReleaseStringUTFChars(env, thread, who);
    if (why)
        (*env)->ReleaseStringUTFChars(env, exception, why);
}

static bool hooked_in_jdk(struct span name)
{
    return settings.turns ? turns_in_jdk(name) : is_hooked(name);
}

static bool spared(struct span name)
{
    return settings.turns && turns_spare(name);
}

static void JNICALL class_loads(jvmtiEnv *jvmti, JNIEnv *env, jclass redefined, jobject loader,
                                const char *name, jobject domain, jint length, const unsigned char *data,
                                jint *new_length, unsigned char **new_data)
{
    struct span called = {(const uint8_t *)name, name ? strlen(name) : 0};
    struct bytes out = {0}, names = {0};
    bool idle;

    (void)domain;
    if (!atomic_load(&ready) || !name)
        return;
    (void)redefined; /* then it is rewritten again: what was added to it must stay there */
    idle = machine_log.header && machine_log.header->ended && has_idle_form(called);
    if (!idle && !hooked_in_jdk(called) && (!rewrite_wanted(&rewriter, called) || spared(called)))
        return;
    if (!idle && settings.patterns_count == 0 && !is_jdk(called) && serves_build_tool(jvmti, env, loader))
        return;
    pthread_mutex_lock(&rewriting);
    if ((idle ? make_idle((struct span){data, (size_t)length}, &out)
              : rewrite_class(&rewriter, (struct span){data, (size_t)length}, &out, &names) == REWRITE_DONE) &&
        (*jvmti)->Allocate(jvmti, (jlong)out.data_count, new_data) == JVMTI_ERROR_NONE) {
        memcpy(*new_data, out.data, out.data_count);
        *new_length = (jint)out.data_count;
    }
    if (!settings.turns)
        log_list(&machine_log, &names);
    pthread_mutex_unlock(&rewriting);
    bytes_free(&out);
    bytes_free(&names);
}

/* A hidden class, which no agent is shown before it is there. Those that the machine makes for lambdas and for switches over
 * patterns have no code of the program. */
static void JNICALL class_prepared(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jclass class)
{
    struct bytes entry = {0};
    char *signature = NULL, *hidden;
    struct span name;

    (void)env;
    (void)thread;
    if (!atomic_load(&ready) || settings.turns ||
        (*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) != JVMTI_ERROR_NONE)
        return;
    hidden = strstr(signature, ".0x"); /* "LName.0x00007f…;" */
    if (hidden && signature[0] == 'L' && !strstr(signature, "$$Lambda") && !strstr(signature, "$$TypeSwitch")) {
        name = (struct span){(const uint8_t *)signature + 1, (size_t)(hidden - signature) - 1};
        if (rewrite_wanted(&rewriter, name)) {
            list_left(&entry, name, (struct span){NULL, 0}, "it is a hidden class");
            append_to_list(&entry);
            bytes_free(&entry);
        }
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
}

/* Nothing is recorded any more: from now on hooks do nothing. */
static void get_out_of_the_way(JNIEnv *env)
{
    jclass classes[] = {(*env)->FindClass(env, RUNTIME_CLASS), (*env)->FindClass(env, ACCESSES_CLASS),
                        (*env)->FindClass(env, ATOMICS_CLASS), (*env)->FindClass(env, GROUNDS_CLASS)};

    if (classes[0] && classes[1] && classes[2] && classes[3])
        (*machine)->RetransformClasses(machine, 4, classes);
}

static bool start_runtime(JNIEnv *env)
{
    static JNINativeMethod natives[] = {
        {"nameClass", "(Ljava/lang/Class;Z)I", __extension__(void *) name_class},
        {"nameThread", "(Ljava/lang/Thread;I)V", __extension__(void *) name_thread},
        {"nameDeath", "(Ljava/lang/String;Ljava/lang/String;)V", __extension__(void *) name_death},
        {"hasIdentity", "(Ljava/lang/Class;)Z", __extension__(void *) has_identity},
        {"delay", "(I)V", __extension__(void *) delay_thread},
        {"growLog", "(J)J", __extension__(void *) grow_log},
        {"shortenLog", "(JI)J", __extension__(void *) shorten_log},
        {"treatment", "(I)I", __extension__(void *) array_treatment}};
    static JNINativeMethod gates[] = {{"pass", "(IJ)V", __extension__(void *) gate_pass},
                                      {"forks", "(ILjava/lang/Thread;)V", __extension__(void *) gate_forks},
                                      {"input", "(IIJ)J", __extension__(void *) gate_input}};
    jclass hooks, gate;
    jmethodID start;

    if (!define_runtime(env))
        return false;
    hooks = (*env)->FindClass(env, RUNTIME_CLASS);
    if (!hooks || !open_internals(machine, env, hooks) || (*env)->RegisterNatives(env, hooks, natives, 8) != 0)
        return false;
    gate = (*env)->FindClass(env, GATE_CLASS);
    if (!gate || (*env)->RegisterNatives(env, gate, gates, 3) != 0)
        return false;
    start = (*env)->GetStaticMethodID(env, hooks, "start", "(JJJJII)V");
    if (!start)
        return false;
    (*env)->CallStaticVoidMethod(env, hooks, start, (jlong)(intptr_t)machine_log.header,
                                 (jlong)machine_log.ready, gate_address(), (jlong)settings.seed,
                                 (jint)(settings.script ? 0 : settings.delays), (jint)settings.passes);
    if ((*env)->ExceptionCheck(env))
        return false;
    return gate_address()
               ? gate_start(machine, env, append_to_list)
               : stuck_watch_start(machine, env, append_to_list, machine_log.header, get_out_of_the_way);
}

/* Retransforms hooked JDK classes that are already loaded; the others are rewritten when they load. */
static void hook_loaded(JNIEnv *env)
{
    for (const char *const *name = early_classes; *name; name++) {
        jclass class = (*env)->FindClass(env, *name);
        if (!class)
            (*env)->ExceptionClear(env);
        else if ((*machine)->RetransformClasses(machine, 1, &class) != JVMTI_ERROR_NONE)
            fprintf(stderr,
                    "heddle: note: cannot rewrite %s: the order of threads that it starts may be missing\n",
                    *name);
        if (class)
            (*env)->DeleteLocalRef(env, class);
    }
}

/* Has the runtime make what the JDK makes when a thread first needs it, whichever that is. */
static void prepare_inputs(JNIEnv *env)
{
    jclass inputs = (*env)->FindClass(env, INPUTS_CLASS);
    jmethodID make = inputs ? (*env)->GetStaticMethodID(env, inputs, "prepare", "()V") : NULL;

    if (make)
        (*env)->CallStaticVoidMethod(env, inputs, make);
    (*env)->ExceptionClear(env);
}

static void JNICALL machine_starts(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    (void)jvmti;
    (void)thread;
    if (!(settings.turns ? turns_start(machine, env) : start_runtime(env))) {
        (*env)->ExceptionDescribe(env);
        (*env)->ExceptionClear(env);
        fprintf(stderr, "heddle: cannot start the runtime in this Java virtual machine: nothing is recorded\n");
        return;
    }
    atomic_store(&ready, true);
    if (settings.turns) {
        turns_hook_loaded(machine, env);
    } else {
        hook_loaded(env);
        prepare_inputs(env);
    }
}

static void JNICALL machine_ends(jvmtiEnv *jvmti, JNIEnv *env)
{
    (void)jvmti;
    (void)env;
    gate_end();
}

/* Since JDK 21 there is one more capability, behind the last that the headers may know: to see virtual threads. */
static bool want_virtual_threads(jvmtiCapabilities *wanted)
{
    jvmtiCapabilities last = {.can_generate_sampled_object_alloc_events = 1}, can;
    unsigned char *bits = (unsigned char *)&last, *has = (unsigned char *)&can;
    size_t bit = 0;

    while (!(bits[bit / 8] & 1u << bit % 8))
        bit++;
    bit++;
    if ((*machine)->GetPotentialCapabilities(machine, &can) != JVMTI_ERROR_NONE ||
        !(has[bit / 8] & 1u << bit % 8))
        return false;
    ((unsigned char *)wanted)[bit / 8] |= (unsigned char)(1u << bit % 8);
    return true;
}

static bool prepare(JavaVM *vm, char *options)
{
    char list[4096];
    bool virtual;
    unsigned number;
    jvmtiCapabilities wanted = {.can_generate_all_class_hook_events = 1,
                                .can_retransform_classes = 1,
                                .can_get_current_contended_monitor = 1,
                                .can_get_monitor_info = 1,
                                .can_get_line_numbers = 1,
                                .can_get_source_file_name = 1};
    jvmtiEventCallbacks calls = {.VMInit = machine_starts,
                                 .VMDeath = machine_ends,
                                 .ThreadStart = turns_thread_starts,
                                 .ClassFileLoadHook = class_loads,
                                 .ClassPrepare = class_prepared};

    if (!settings_read(&settings, options ? options : "")) {
        fprintf(stderr, "heddle: unknown option of the Java agent: %s\n", settings.text);
        return false;
    }
    if ((*vm)->GetEnv(vm, (void **)&machine, JVMTI_VERSION_9) != JNI_OK)
        return false;
    if (runs_build_tool(machine))
        return true;
    number = settings.turns ? 0 : machine_number(settings.folder);
    if (settings.machine && settings.machine != number)
        settings.script = NULL;
    rewriter.patterns = settings.patterns;
    rewriter.patterns_count = settings.patterns_count;
    rewriter.atomic_methods = settings.atomic;
    rewriter.deterministic_methods = settings.deterministic;
    rewriter.turns = settings.turns;
    if (settings.passes == 2) {
        snprintf(list, sizeof list, "%s/" JAVA_LIGHT, settings.folder);
        rewriter.light = light_read(list);
        settings.passes = !rewriter.light ? 1 : light_meetings(rewriter.light) ? 2 : 3;
    }
    rewriter.gates = settings.script != NULL;
    rewriter.explores = settings.explores && settings.script;
    rewriter.grounds = settings.grounds && !rewriter.explores;
    if (settings.script && !gate_open(settings.folder, settings.script, settings.explores, settings.drawn))
        return false;
    virtual = !settings.turns && want_virtual_threads(&wanted);
    return (*machine)->AddCapabilities(machine, &wanted) == JVMTI_ERROR_NONE &&
           (settings.turns || machine_log_open(&machine_log, settings.folder,
                                               settings.records)) && /* before anything is rewritten */
           thread_notes_start(machine, &calls, virtual) &&
           (*machine)->SetEventNotificationMode(machine, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL) ==
               JVMTI_ERROR_NONE &&
           (*machine)->SetEventNotificationMode(machine, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, NULL) ==
               JVMTI_ERROR_NONE &&
           (*machine)->SetEventNotificationMode(machine, JVMTI_ENABLE, JVMTI_EVENT_CLASS_PREPARE, NULL) ==
               JVMTI_ERROR_NONE &&
           (*machine)->SetEventNotificationMode(machine, JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
                                                NULL) == JVMTI_ERROR_NONE;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)reserved;
    if (!prepare(vm, options)) /* the program runs without being recorded */
        fprintf(stderr, "heddle: this Java virtual machine is not recorded\n");
    return 0;
}
