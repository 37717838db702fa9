/* What a program asks and sets: numbers of threads, levels, schedules, time. */
#include "openmp.h"

#include <limits.h>
#include <omp.h>
#include <sched.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

static struct controls controls;
static _Thread_local struct controls own;
static _Thread_local bool has_own;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static unsigned processors(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (unsigned)CPU_COUNT(&set);
    return 1;
}

static unsigned number_of(const char *variable, unsigned otherwise)
{
    const char *text = getenv(variable);
    long number = text ? strtol(text, NULL, 10) : 0;

    return number > 0 && number < INT_MAX ? (unsigned)number : otherwise;
}

static bool is_on(const char *variable)
{
    const char *text = getenv(variable);

    return text && strcasecmp(text, "true") == 0;
}

/* OMP_SCHEDULE: [modifier:]kind[,chunk] */
static void read_schedule(const char *text)
{
    static const char *const names[] = {"static", "dynamic", "guided", "auto"};
    const char *colon = strchr(text, ':'), *comma = strchr(text, ',');

    text = colon ? colon + 1 : text;
    for (int i = 0; i < 4; i++)
        if (strncasecmp(text, names[i], strlen(names[i])) == 0)
            controls.schedule = (enum schedule)(i + SCHEDULE_STATIC);
    controls.chunk = comma ? strtoull(comma + 1, NULL, 10) : controls.schedule == SCHEDULE_STATIC ? 0 : 1;
}

static void read_environment(void)
{
    const char *threads = getenv("OMP_NUM_THREADS"), *schedule = getenv("OMP_SCHEDULE");

    controls.threads = number_of("OMP_NUM_THREADS", processors());
    controls.limit = number_of("OMP_THREAD_LIMIT", INT_MAX);
    controls.levels = is_on("OMP_NESTED") || (threads && strchr(threads, ',')) ? MOST_LEVELS : 1;
    controls.levels = number_of("OMP_MAX_ACTIVE_LEVELS", controls.levels);
    controls.dynamic = is_on("OMP_DYNAMIC");
    controls.schedule = SCHEDULE_DYNAMIC;
    controls.chunk = 1;
    if (schedule)
        read_schedule(schedule);
}

/* Each thread has its own, from the environment at first; a member of a team begins with its creator's. */
struct controls *controls_get(void)
{
    pthread_once(&once, read_environment);
    if (!has_own) {
        own = controls;
        has_own = true;
    }
    return &own;
}

enum schedule schedule_chosen(ull *chunk)
{
    *chunk = controls_get()->chunk;
    return controls_get()->schedule;
}

/* The ancestor of the calling thread at `level`, or NULL. */
static struct team_member *ancestor(int level)
{
    struct team_member *m = member_self();

    if (level < 0 || level > (int)m->team->level)
        return NULL;
    while ((int)m->team->level > level)
        m = m->team->creator;
    return m;
}

EXPORT int omp_get_thread_num(void)
{
    return (int)member_self()->number;
}

EXPORT int omp_get_num_threads(void)
{
    return (int)member_self()->team->size;
}

EXPORT int omp_get_max_threads(void)
{
    return (int)controls_get()->threads;
}

EXPORT void omp_set_num_threads(int threads)
{
    controls_get()->threads = threads > 0 ? (unsigned)threads : 1;
}

EXPORT int omp_get_num_procs(void)
{
    return (int)processors();
}

EXPORT int omp_in_parallel(void)
{
    return member_self()->team->active_level > 0;
}

EXPORT int omp_get_dynamic(void)
{
    return controls_get()->dynamic;
}

EXPORT void omp_set_dynamic(int dynamic)
{
    controls_get()->dynamic = dynamic;
}

EXPORT int omp_get_nested(void)
{
    return controls_get()->levels > 1;
}

EXPORT void omp_set_nested(int nested)
{
    controls_get()->levels = nested ? MOST_LEVELS : 1;
}

EXPORT int omp_get_max_active_levels(void)
{
    return (int)controls_get()->levels;
}

EXPORT void omp_set_max_active_levels(int levels)
{
    controls_get()->levels = levels < 0 ? 0 : (unsigned)levels;
}

EXPORT int omp_get_supported_active_levels(void)
{
    return MOST_LEVELS;
}

EXPORT int omp_get_level(void)
{
    return (int)member_self()->team->level;
}

EXPORT int omp_get_active_level(void)
{
    return (int)member_self()->team->active_level;
}

EXPORT int omp_get_ancestor_thread_num(int level)
{
    struct team_member *m = ancestor(level);

    return m ? (int)m->number : -1;
}

EXPORT int omp_get_team_size(int level)
{
    struct team_member *m = ancestor(level);

    return m ? (int)m->team->size : -1;
}

EXPORT int omp_get_thread_limit(void)
{
    return (int)controls_get()->limit;
}

EXPORT int omp_in_final(void)
{
    return member_self()->task->final;
}

EXPORT void omp_set_schedule(omp_sched_t kind, int chunk)
{
    struct controls *s = controls_get();

    s->schedule = (enum schedule)((unsigned)kind & 0x7fffffffU);
    s->chunk = chunk > 0 ? (ull)chunk : s->schedule == SCHEDULE_STATIC ? 0 : 1;
}

EXPORT void omp_get_schedule(omp_sched_t *kind, int *chunk)
{
    *kind = (omp_sched_t)controls_get()->schedule;
    *chunk = (int)controls_get()->chunk;
}

EXPORT double omp_get_wtime(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

EXPORT double omp_get_wtick(void)
{
    return 1e-9;
}

/* What has one answer on a machine without devices, places or cancellation. */
#define ANSWER(type, name, answer)                                                                             \
    EXPORT type name(void)                                                                                     \
    {                                                                                                          \
        return answer;                                                                                         \
    }

ANSWER(int, omp_get_cancellation, 0)
ANSWER(int, omp_get_num_devices, 0)
ANSWER(int, omp_get_default_device, 0)
ANSWER(int, omp_get_initial_device, 0)
ANSWER(int, omp_get_device_num, 0)
ANSWER(int, omp_is_initial_device, 1)
ANSWER(int, omp_get_num_teams, 1)
ANSWER(int, omp_get_team_num, 0)
ANSWER(int, omp_get_max_teams, 1)
ANSWER(int, omp_get_teams_thread_limit, 0)
ANSWER(int, omp_get_max_task_priority, INT_MAX)
ANSWER(int, omp_get_num_places, 0)
ANSWER(int, omp_get_place_num, -1)
ANSWER(int, omp_get_partition_num_places, 0)
ANSWER(omp_proc_bind_t, omp_get_proc_bind, omp_proc_bind_false)

EXPORT void omp_set_default_device(int device)
{
    (void)device;
}

EXPORT void omp_set_num_teams(int teams)
{
    (void)teams;
}

EXPORT void omp_set_teams_thread_limit(int limit)
{
    (void)limit;
}

/* Constructs that programs may call for and that are not here. */
#define LACKS(name, what)                                                                                      \
    EXPORT void name(void)                                                                                     \
    {                                                                                                          \
        openmp_lacks(what);                                                                                    \
    }

LACKS(GOMP_parallel_reductions, "reduction with the task modifier on a parallel region")
LACKS(GOMP_loop_start, "reduction with the task modifier or scan on a loop")
LACKS(GOMP_loop_ull_start, "reduction with the task modifier or scan on a loop")
LACKS(GOMP_loop_ordered_start, "reduction with the task modifier on an ordered loop")
LACKS(GOMP_loop_ull_ordered_start, "reduction with the task modifier on an ordered loop")
LACKS(GOMP_loop_doacross_start, "reduction with the task modifier on an ordered loop")
LACKS(GOMP_loop_ull_doacross_start, "reduction with the task modifier on an ordered loop")
LACKS(GOMP_sections2_start, "reduction with the task modifier on sections")
LACKS(GOMP_scope_start, "reduction with the task modifier on a scope")
LACKS(GOMP_workshare_task_reduction_unregister, "reduction with the task modifier")
LACKS(GOMP_target_ext, "target region")
LACKS(GOMP_target_data_ext, "target region")
LACKS(GOMP_target_end_data, "target region")
LACKS(GOMP_target_update_ext, "target region")
LACKS(GOMP_target_enter_exit_data, "target region")
LACKS(GOMP_teams4, "teams of a target region")
