/* The functions behind the wrappers: the next ones after ours in the order of loading. */
#pragma once
#include <aio.h>
#include <dirent.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <wchar.h>

/* X(result, name, parameters) */
#define REAL_FUNCTIONS(X)                                                                                      \
    X(int, rand, (void))                                                                                       \
    X(long, random, (void))                                                                                    \
    X(long, lrand48, (void))                                                                                   \
    X(long, mrand48, (void))                                                                                   \
    X(double, drand48, (void))                                                                                 \
    X(char *, getenv, (const char *))                                                                          \
    X(char *, secure_getenv, (const char *))                                                                   \
    X(int, setenv, (const char *, const char *, int))                                                          \
    X(int, unsetenv, (const char *))                                                                           \
    X(int, putenv, (char *))                                                                                   \
    X(int, clearenv, (void))                                                                                   \
    X(int, mkdirat, (int, const char *, mode_t))                                                               \
    X(int, mkfifo, (const char *, mode_t))                                                                     \
    X(int, unlinkat, (int, const char *, int))                                                                 \
    X(int, symlinkat, (const char *, int, const char *))                                                       \
    X(int, linkat, (int, const char *, int, const char *, int))                                                \
    X(int, renameat, (int, const char *, int, const char *))                                                   \
    X(int, chmod, (const char *, mode_t))                                                                      \
    X(int, faccessat, (int, const char *, int, int))                                                           \
    X(int, fstat, (int, struct stat *))                                                                        \
    X(int, fstatat, (int, const char *, struct stat *, int))                                                   \
    X(int, ftruncate, (int, off_t))                                                                            \
    X(int, openat, (int, const char *, int, ...))                                                              \
    X(int, openat64, (int, const char *, int, ...))                                                            \
    X(int, flock, (int, int))                                                                                  \
    X(int, fcntl64, (int, int, ...))                                                                           \
    X(int, mkdir, (const char *, mode_t))                                                                      \
    X(int, rmdir, (const char *))                                                                              \
    X(int, unlink, (const char *))                                                                             \
    X(int, remove, (const char *))                                                                             \
    X(int, symlink, (const char *, const char *))                                                              \
    X(int, link, (const char *, const char *))                                                                 \
    X(int, rename, (const char *, const char *))                                                               \
    X(int, access, (const char *, int))                                                                        \
    X(int, stat, (const char *, struct stat *))                                                                \
    X(int, lstat, (const char *, struct stat *))                                                               \
    X(int, creat, (const char *, mode_t))                                                                      \
    X(int, open, (const char *, int, ...))                                                                     \
    X(int, open64, (const char *, int, ...))                                                                   \
    X(FILE *, fopen, (const char *, const char *))                                                             \
    X(FILE *, fopen64, (const char *, const char *))                                                           \
    X(FILE *, freopen, (const char *, const char *, FILE *))                                                   \
    X(FILE *, freopen64, (const char *, const char *, FILE *))                                                 \
    X(int, pthread_create, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))                   \
    X(int, pthread_join, (pthread_t, void **))                                                                 \
    X(int, pthread_tryjoin_np, (pthread_t, void **))                                                           \
    X(int, pthread_timedjoin_np, (pthread_t, void **, const struct timespec *))                                \
    X(int, pthread_clockjoin_np, (pthread_t, void **, clockid_t, const struct timespec *))                     \
    X(int, pthread_detach, (pthread_t))                                                                        \
    X(int, pthread_cancel, (pthread_t))                                                                        \
    X(int, pthread_setname_np, (pthread_t, const char *))                                                      \
    X(int, pthread_mutex_init, (pthread_mutex_t *, const pthread_mutexattr_t *))                               \
    X(int, pthread_mutex_destroy, (pthread_mutex_t *))                                                         \
    X(int, pthread_mutex_lock, (pthread_mutex_t *))                                                            \
    X(int, pthread_mutex_trylock, (pthread_mutex_t *))                                                         \
    X(int, pthread_mutex_timedlock, (pthread_mutex_t *, const struct timespec *))                              \
    X(int, pthread_mutex_clocklock, (pthread_mutex_t *, clockid_t, const struct timespec *))                   \
    X(int, pthread_mutex_unlock, (pthread_mutex_t *))                                                          \
    X(int, pthread_rwlock_init, (pthread_rwlock_t *, const pthread_rwlockattr_t *))                            \
    X(int, pthread_rwlock_destroy, (pthread_rwlock_t *))                                                       \
    X(int, pthread_rwlock_rdlock, (pthread_rwlock_t *))                                                        \
    X(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t *))                                                     \
    X(int, pthread_rwlock_timedrdlock, (pthread_rwlock_t *, const struct timespec *))                          \
    X(int, pthread_rwlock_clockrdlock, (pthread_rwlock_t *, clockid_t, const struct timespec *))               \
    X(int, pthread_rwlock_wrlock, (pthread_rwlock_t *))                                                        \
    X(int, pthread_rwlock_trywrlock, (pthread_rwlock_t *))                                                     \
    X(int, pthread_rwlock_timedwrlock, (pthread_rwlock_t *, const struct timespec *))                          \
    X(int, pthread_rwlock_clockwrlock, (pthread_rwlock_t *, clockid_t, const struct timespec *))               \
    X(int, pthread_rwlock_unlock, (pthread_rwlock_t *))                                                        \
    X(int, pthread_spin_init, (pthread_spinlock_t *, int))                                                     \
    X(int, pthread_spin_destroy, (pthread_spinlock_t *))                                                       \
    X(int, pthread_spin_lock, (pthread_spinlock_t *))                                                          \
    X(int, pthread_spin_trylock, (pthread_spinlock_t *))                                                       \
    X(int, pthread_spin_unlock, (pthread_spinlock_t *))                                                        \
    X(int, pthread_cond_init, (pthread_cond_t *, const pthread_condattr_t *))                                  \
    X(int, pthread_cond_destroy, (pthread_cond_t *))                                                           \
    X(int, pthread_cond_wait, (pthread_cond_t *, pthread_mutex_t *))                                           \
    X(int, pthread_cond_timedwait, (pthread_cond_t *, pthread_mutex_t *, const struct timespec *))             \
    X(int, pthread_cond_clockwait, (pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *))  \
    X(int, pthread_cond_signal, (pthread_cond_t *))                                                            \
    X(int, pthread_cond_broadcast, (pthread_cond_t *))                                                         \
    X(int, pthread_barrier_init, (pthread_barrier_t *, const pthread_barrierattr_t *, unsigned))               \
    X(int, pthread_barrier_destroy, (pthread_barrier_t *))                                                     \
    X(int, pthread_barrier_wait, (pthread_barrier_t *))                                                        \
    X(int, pthread_once, (pthread_once_t *, void (*)(void)))                                                   \
    X(int, pthread_sigmask, (int, const sigset_t *, sigset_t *))                                               \
    X(int, sigprocmask, (int, const sigset_t *, sigset_t *))                                                   \
    X(int, sigaction, (int, const struct sigaction *, struct sigaction *))                                     \
    X(int, pthread_kill, (pthread_t, int))                                                                     \
    X(int, pthread_sigqueue, (pthread_t, int, const union sigval))                                             \
    X(int, kill, (pid_t, int))                                                                                 \
    X(int, raise, (int))                                                                                       \
    X(int, sigqueue, (pid_t, int, union sigval))                                                               \
    X(int, sem_init, (sem_t *, int, unsigned))                                                                 \
    X(sem_t *, sem_open, (const char *, int, ...))                                                             \
    X(int, sem_destroy, (sem_t *))                                                                             \
    X(int, sem_close, (sem_t *))                                                                               \
    X(int, sem_wait, (sem_t *))                                                                                \
    X(int, sem_trywait, (sem_t *))                                                                             \
    X(int, sem_timedwait, (sem_t *, const struct timespec *))                                                  \
    X(int, sem_clockwait, (sem_t *, clockid_t, const struct timespec *))                                       \
    X(int, sem_getvalue, (sem_t *, int *))                                                                     \
    X(int, sem_post, (sem_t *))                                                                                \
    X(int, thrd_create, (thrd_t *, thrd_start_t, void *))                                                      \
    X(int, thrd_join, (thrd_t, int *))                                                                         \
    X(int, thrd_detach, (thrd_t))                                                                              \
    X(int, thrd_sleep, (const struct timespec *, struct timespec *))                                           \
    X(void, thrd_yield, (void))                                                                                \
    X(int, mtx_init, (mtx_t *, int))                                                                           \
    X(void, mtx_destroy, (mtx_t *))                                                                            \
    X(int, mtx_lock, (mtx_t *))                                                                                \
    X(int, mtx_trylock, (mtx_t *))                                                                             \
    X(int, mtx_timedlock, (mtx_t *, const struct timespec *))                                                  \
    X(int, mtx_unlock, (mtx_t *))                                                                              \
    X(int, cnd_init, (cnd_t *))                                                                                \
    X(void, cnd_destroy, (cnd_t *))                                                                            \
    X(int, cnd_wait, (cnd_t *, mtx_t *))                                                                       \
    X(int, cnd_timedwait, (cnd_t *, mtx_t *, const struct timespec *))                                         \
    X(int, cnd_signal, (cnd_t *))                                                                              \
    X(int, cnd_broadcast, (cnd_t *))                                                                           \
    X(void, call_once, (once_flag *, void (*)(void)))                                                          \
    X(int, sched_yield, (void))                                                                                \
    X(unsigned, sleep, (unsigned))                                                                             \
    X(int, usleep, (useconds_t))                                                                               \
    X(int, nanosleep, (const struct timespec *, struct timespec *))                                            \
    X(int, clock_nanosleep, (clockid_t, int, const struct timespec *, struct timespec *))                      \
    X(int, clock_gettime, (clockid_t, struct timespec *))                                                      \
    X(int, gettimeofday, (struct timeval *, void *))                                                           \
    X(time_t, time, (time_t *))                                                                                \
    X(long, syscall, (long, long, long, long, long, long, long))                                               \
    X(void *, mmap, (void *, size_t, int, int, int, off_t))                                                    \
    X(int, munmap, (void *, size_t))                                                                           \
    X(int, mprotect, (void *, size_t, int))                                                                    \
    X(int, madvise, (void *, size_t, int))                                                                     \
    X(void *, mremap, (void *, size_t, size_t, int, ...))                                                      \
    X(void *, shmat, (int, const void *, int))                                                                 \
    X(int, shmdt, (const void *))                                                                              \
    X(int, dlclose, (void *))                                                                                  \
    X(void, __cxa_finalize, (void *))                                                                          \
    X(void *, memcpy, (void *, const void *, size_t))                                                          \
    X(void *, memmove, (void *, const void *, size_t))                                                         \
    X(void *, mempcpy, (void *, const void *, size_t))                                                         \
    X(void *, memset, (void *, int, size_t))                                                                   \
    X(int, memcmp, (const void *, const void *, size_t))                                                       \
    X(void *, memchr, (const void *, int, size_t))                                                             \
    X(size_t, strlen, (const char *))                                                                          \
    X(size_t, strnlen, (const char *, size_t))                                                                 \
    X(int, strcmp, (const char *, const char *))                                                               \
    X(int, strncmp, (const char *, const char *, size_t))                                                      \
    X(char *, strchr, (const char *, int))                                                                     \
    X(char *, strrchr, (const char *, int))                                                                    \
    X(char *, strstr, (const char *, const char *))                                                            \
    X(char *, strcpy, (char *, const char *))                                                                  \
    X(char *, stpcpy, (char *, const char *))                                                                  \
    X(char *, strncpy, (char *, const char *, size_t))                                                         \
    X(char *, strcat, (char *, const char *))                                                                  \
    X(char *, strncat, (char *, const char *, size_t))                                                         \
    X(char *, strdup, (const char *))                                                                          \
    X(char *, strndup, (const char *, size_t))                                                                 \
    X(void, flockfile, (FILE *))                                                                               \
    X(int, ftrylockfile, (FILE *))                                                                             \
    X(void, funlockfile, (FILE *))                                                                             \
    X(size_t, fread, (void *, size_t, size_t, FILE *))                                                         \
    X(size_t, fwrite, (const void *, size_t, size_t, FILE *))                                                  \
    X(char *, fgets, (char *, int, FILE *))                                                                    \
    X(ssize_t, getdelim, (char **, size_t *, int, FILE *))                                                     \
    X(int, fputs, (const char *, FILE *))                                                                      \
    X(int, puts, (const char *))                                                                               \
    X(int, fgetc, (FILE *))                                                                                    \
    X(int, fputc, (int, FILE *))                                                                               \
    X(int, fflush, (FILE *))                                                                                   \
    X(int, fclose, (FILE *))                                                                                   \
    X(int, __overflow, (FILE *, int))                                                                          \
    X(int, __uflow, (FILE *))                                                                                  \
    X(int, vsnprintf, (char *, size_t, const char *, va_list))                                                 \
    X(int, vasprintf, (char **, const char *, va_list))                                                        \
    X(int, vfprintf, (FILE *, const char *, va_list))                                                          \
    X(int, __isoc99_vsscanf, (const char *, const char *, va_list))                                            \
    X(int, __isoc99_vfscanf, (FILE *, const char *, va_list))                                                  \
    X(void, __chk_fail, (void))                                                                                \
    X(void *, memrchr, (const void *, int, size_t))                                                            \
    X(void *, rawmemchr, (const void *, int))                                                                  \
    X(char *, strchrnul, (const char *, int))                                                                  \
    X(void *, memmem, (const void *, size_t, const void *, size_t))                                            \
    X(void *, memccpy, (void *, const void *, int, size_t))                                                    \
    X(int, strcasecmp, (const char *, const char *))                                                           \
    X(int, strncasecmp, (const char *, const char *, size_t))                                                  \
    X(size_t, strspn, (const char *, const char *))                                                            \
    X(size_t, strcspn, (const char *, const char *))                                                           \
    X(char *, strpbrk, (const char *, const char *))                                                           \
    X(char *, strtok_r, (char *, const char *, char **))                                                       \
    X(char *, strsep, (char **, const char *))                                                                 \
    X(long, strtol, (const char *, char **, int))                                                              \
    X(unsigned long, strtoul, (const char *, char **, int))                                                    \
    X(long long, strtoll, (const char *, char **, int))                                                        \
    X(unsigned long long, strtoull, (const char *, char **, int))                                              \
    X(double, strtod, (const char *, char **))                                                                 \
    X(float, strtof, (const char *, char **))                                                                  \
    X(void, qsort, (void *, size_t, size_t, int (*)(const void *, const void *)))                              \
    X(void, qsort_r, (void *, size_t, size_t, int (*)(const void *, const void *, void *), void *))            \
    X(wchar_t *, wmemset, (wchar_t *, wchar_t, size_t))                                                        \
    X(size_t, wcslen, (const wchar_t *))                                                                       \
    X(ssize_t, read, (int, void *, size_t))                                                                    \
    X(ssize_t, write, (int, const void *, size_t))                                                             \
    X(ssize_t, pread, (int, void *, size_t, off_t))                                                            \
    X(ssize_t, pwrite, (int, const void *, size_t, off_t))                                                     \
    X(ssize_t, readv, (int, const struct iovec *, int))                                                        \
    X(ssize_t, writev, (int, const struct iovec *, int))                                                       \
    X(ssize_t, recv, (int, void *, size_t, int))                                                               \
    X(ssize_t, recvfrom, (int, void *, size_t, int, struct sockaddr *, socklen_t *))                           \
    X(ssize_t, recvmsg, (int, struct msghdr *, int))                                                           \
    X(ssize_t, send, (int, const void *, size_t, int))                                                         \
    X(ssize_t, sendto, (int, const void *, size_t, int, const struct sockaddr *, socklen_t))                   \
    X(ssize_t, sendmsg, (int, const struct msghdr *, int))                                                     \
    X(ssize_t, preadv2, (int, const struct iovec *, int, off_t, int))                                          \
    X(ssize_t, pwritev2, (int, const struct iovec *, int, off_t, int))                                         \
    X(int, recvmmsg, (int, struct mmsghdr *, unsigned, int, struct timespec *))                                \
    X(int, sendmmsg, (int, struct mmsghdr *, unsigned, int))                                                   \
    X(ssize_t, splice, (int, off64_t *, int, off64_t *, size_t, unsigned))                                     \
    X(ssize_t, tee, (int, int, size_t, unsigned))                                                              \
    X(ssize_t, vmsplice, (int, const struct iovec *, size_t, unsigned))                                        \
    X(ssize_t, sendfile, (int, int, off_t *, size_t))                                                          \
    X(int, accept, (int, struct sockaddr *, socklen_t *))                                                      \
    X(int, accept4, (int, struct sockaddr *, socklen_t *, int))                                                \
    X(int, connect, (int, const struct sockaddr *, socklen_t))                                                 \
    X(int, socketpair, (int, int, int, int *))                                                                 \
    X(int, close, (int))                                                                                       \
    X(int, shutdown, (int, int))                                                                               \
    X(int, pipe, (int *))                                                                                      \
    X(int, pipe2, (int *, int))                                                                                \
    X(int, eventfd, (unsigned, int))                                                                           \
    X(int, eventfd_read, (int, uint64_t *))                                                                    \
    X(int, eventfd_write, (int, uint64_t))                                                                     \
    X(int, poll, (struct pollfd *, nfds_t, int))                                                               \
    X(int, ppoll, (struct pollfd *, nfds_t, const struct timespec *, const sigset_t *))                        \
    X(int, select, (int, fd_set *, fd_set *, fd_set *, struct timeval *))                                      \
    X(int, pselect, (int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *))            \
    X(int, epoll_ctl, (int, int, int, struct epoll_event *))                                                   \
    X(int, timerfd_settime, (int, int, const struct itimerspec *, struct itimerspec *))                        \
    X(int, epoll_wait, (int, struct epoll_event *, int, int))                                                  \
    X(int, epoll_pwait, (int, struct epoll_event *, int, int, const sigset_t *))                               \
    X(pid_t, wait, (int *))                                                                                    \
    X(pid_t, waitpid, (pid_t, int *, int))                                                                     \
    X(int, waitid, (idtype_t, id_t, siginfo_t *, int))                                                         \
    X(int, sigwait, (const sigset_t *, int *))                                                                 \
    X(int, sigwaitinfo, (const sigset_t *, siginfo_t *))                                                       \
    X(int, sigtimedwait, (const sigset_t *, siginfo_t *, const struct timespec *))                             \
    X(int, sigsuspend, (const sigset_t *))                                                                     \
    X(int, pause, (void))                                                                                      \
    X(int, system, (const char *))                                                                             \
    X(pid_t, fork, (void))                                                                                     \
    X(int, execve, (const char *, char *const *, char *const *))                                               \
    X(int, execv, (const char *, char *const *))                                                               \
    X(int, execvp, (const char *, char *const *))                                                              \
    X(int, execvpe, (const char *, char *const *, char *const *))                                              \
    X(int, fexecve, (int, char *const *, char *const *))                                                       \
    X(int, execveat, (int, const char *, char *const *, char *const *, int))                                   \
    X(int, pthread_getaffinity_np, (pthread_t, size_t, cpu_set_t *))                                           \
    X(int, get_nprocs, (void))                                                                                 \
    X(long, sysconf, (int))                                                                                    \
    X(FILE *, popen, (const char *, const char *))                                                             \
    X(int, posix_spawn,                                                                                        \
      (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const *,    \
       char *const *))                                                                                         \
    X(int, posix_spawnp,                                                                                       \
      (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const *,    \
       char *const *))                                                                                         \
    X(void *, dlopen, (const char *, int))                                                                     \
    X(void, srand, (unsigned))                                                                                 \
    X(void, srandom, (unsigned))                                                                               \
    X(void, srand48, (long))                                                                                   \
    X(void, exit, (int))                                                                                       \
    X(void, _exit, (int))                                                                                      \
    X(void, _Exit, (int))                                                                                      \
    X(void, quick_exit, (int))                                                                                 \
    X(void, abort, (void))                                                                                     \
    X(void, __assert_fail, (const char *, const char *, unsigned, const char *))                               \
    X(int, timer_create, (clockid_t, struct sigevent *, timer_t *))                                            \
    X(int, timer_settime, (timer_t, int, const struct itimerspec *, struct itimerspec *))                      \
    X(unsigned, alarm, (unsigned))                                                                             \
    X(int, setitimer, (__itimer_which_t, const struct itimerval *, struct itimerval *))                        \
    X(int, mq_notify, (mqd_t, const struct sigevent *))                                                        \
    X(ssize_t, aio_return, (struct aiocb *))                                                                   \
    X(int, aio_suspend, (const struct aiocb *const[], int, const struct timespec *))                           \
    X(ssize_t, aio_return64, (struct aiocb64 *))                                                               \
    X(int, aio_suspend64, (const struct aiocb64 *const[], int, const struct timespec *))                       \
    X(int, mq_send, (mqd_t, const char *, size_t, unsigned))                                                   \
    X(ssize_t, mq_receive, (mqd_t, char *, size_t, unsigned *))                                                \
    X(int, msgsnd, (int, const void *, size_t, int))                                                           \
    X(ssize_t, msgrcv, (int, void *, size_t, long, int))                                                       \
    X(int, semop, (int, struct sembuf *, size_t))                                                              \
    X(int, semtimedop, (int, struct sembuf *, size_t, const struct timespec *))                                \
    X(int, signalfd, (int, const sigset_t *, int))                                                             \
    X(int, pthread_setcanceltype, (int, int *))                                                                \
    X(int, __cxa_guard_acquire, (void *))                                                                      \
    X(void, __cxa_guard_release, (void *))                                                                     \
    X(void, __cxa_guard_abort, (void *))                                                                       \
    X(void, _ZNSt6localeC1Ev, (void *))                                                                        \
    X(void, _ZNSt6localeD1Ev, (void *))                                                                        \
    X(const void *, _ZSt9use_facetISt5ctypeIcEERKT_RKSt6locale, (const void *))                                \
    X(void, _ZNKSt5ctypeIcE14_M_narrow_initEv, (const void *))                                                 \
    X(void *, sbrk, (intptr_t))                                                                                \
    X(int, brk, (void *))                                                                                      \
    X(void, _ZdlPv, (void *))                                                                                  \
    X(void, _ZdaPv, (void *))                                                                                  \
    X(void, _ZdlPvm, (void *, size_t))                                                                         \
    X(void, _ZdaPvm, (void *, size_t))                                                                         \
    X(void, _ZdlPvSt11align_val_t, (void *, size_t))                                                           \
    X(void, _ZdaPvSt11align_val_t, (void *, size_t))                                                           \
    X(void, _ZdlPvmSt11align_val_t, (void *, size_t, size_t))                                                  \
    X(void, _ZdaPvmSt11align_val_t, (void *, size_t, size_t))                                                  \
    X(void *, _Znwm, (size_t))                                                                                 \
    X(void *, _Znam, (size_t))                                                                                 \
    X(void *, _ZnwmSt11align_val_t, (size_t, size_t))                                                          \
    X(void *, _ZnamSt11align_val_t, (size_t, size_t))                                                          \
    X(void *, _ZnwmRKSt9nothrow_t, (size_t, const void *))                                                     \
    X(void *, _ZnamRKSt9nothrow_t, (size_t, const void *))

#define REAL_POINTER(result, name, parameters) result(*name) parameters;

struct real {
    REAL_FUNCTIONS(REAL_POINTER)
};

#undef REAL_POINTER

extern struct real real;

/* Finds them all; functions of libraries the program does not use stay NULL until asked for. */
void real_find(void);
/* The same for functions of the C++ library, which a program in C may have only as part of a library that it
 * loaded, out of sight of others. */
void real_find_library(void);
