/* Objects on the heap by all the ways that C++ has for it: each has a name in reports. expect: race=yes */
#include <condition_variable>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>
enum class State { idle, busy, done };
struct Task {
    int id;
    State state;
    char tag;
};
class Account
{
  public:
    void add(int n)
    {
        balance_ += n;
    }
    int balance() const
    {
        return balance_;
    }

  private:
    int id_ = 3;
    int balance_ = 0;
};
class Pool
{
  public:
    Pool() : tasks_(4)
    {
    }
    void work(int i)
    {
        {
            std::lock_guard<std::mutex> g(mutex_);
            count_++;
            jobs_.push_back(i);
        }
        tasks_[2].state = State::busy;
        byname_[1] = i;
        acc_->add(i);
        arr_[1] += i;
        own_->add(-i);
        cv_.notify_all();
    }
    int total()
    {
        std::unique_lock<std::mutex> g(mutex_);
        cv_.wait(g, [this] { return count_ >= 2; });
        return acc_->balance() + (int)tasks_[2].state + arr_[1];
    }

  private:
    std::mutex mutex_;
    std::condition_variable cv_;
    int count_ = 0;
    std::vector<Task> tasks_;
    std::vector<int> jobs_;
    std::map<int, int> byname_{{1, 0}};
    std::shared_ptr<Account> acc_ = std::make_shared<Account>();
    std::unique_ptr<Account> own_ = std::make_unique<Account>();
    int *arr_ = new int[10]();
};
int main()
{
    auto pool = std::make_unique<Pool>();
    std::thread a([&] { pool->work(1); }), b([&] { pool->work(2); });
    int t = pool->total();
    a.join();
    b.join();
    printf("%d\n", t > 0);
}
