/* Loads a library on the way, plug.c, and runs two threads in it. */
#include <dlfcn.h>
#include <pthread.h>

int main(void)
{
    void *library = dlopen("./plug.so", RTLD_NOW);
    void *(*plug)(void *) = (void *(*)(void *))dlsym(library, "plug");
    pthread_t a, b;

    pthread_create(&a, 0, plug, 0);
    pthread_create(&b, 0, plug, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
