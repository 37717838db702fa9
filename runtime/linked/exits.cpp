/* What becomes ready when its thread ends, as code with hooks: promises and tasks of the `…_at_thread_exit`
 * kind. The C++ library's own code stores that they are ready without hooks, so a thread that waited for them would seem to have waited for nothing. Programs that `heddle c++` links find these functions first.
 *
 * A thread's list of what is to be done hangs at a key of thread-specific data: it is done after the
 * destructors of thread-local variables, or when the process ends. The library does not let others use its
 * list. */
#include <cstdlib>
#include <future>
#include <memory>
#include <pthread.h>
#include <system_error>

using element = std::__at_thread_exit_elt;

static void run(void *list)
{
    for (element *next, *now = static_cast<element *>(list); now; now = next) {
        next = now->_M_next;
        now->_M_cb(now);
    }
}

namespace
{
struct list_key {
    pthread_key_t key;

    list_key()
    {
        if (int error = pthread_key_create(&key, run))
            throw std::system_error(error, std::generic_category());
    }

    /* The thread that ends the process has no end of its own. */
    ~list_key()
    {
        void *list = pthread_getspecific(key);
        pthread_setspecific(key, nullptr);
        run(list);
        pthread_key_delete(key);
    }
};
} // namespace

static void at_thread_end(element *what)
{
    static list_key list;

    what->_M_next = static_cast<element *>(pthread_getspecific(list.key));
    if (int error = pthread_setspecific(list.key, what))
        throw std::system_error(error, std::generic_category());
}

namespace std
{
void __future_base::_State_baseV2::_Make_ready::_S_run(void *data)
{
    unique_ptr<_Make_ready> self(static_cast<_Make_ready *>(data));

    if (shared_ptr<_State_baseV2> state = self->_M_shared_state.lock())
        state->_M_status._M_store_notify_all(_Status::__ready, memory_order_release);
}

void __future_base::_State_baseV2::_Make_ready::_M_set()
{
    _M_cb = _S_run;
    at_thread_end(this);
}
} // namespace std
