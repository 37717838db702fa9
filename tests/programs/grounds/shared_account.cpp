// An account held by shared pointers: updates of the balance can be lost, those of the count of owners cannot.
#include <memory>
#include <mutex>
#include <thread>

struct Account {
    std::mutex lock;
    int balance = 0;

    int get()
    {
        std::lock_guard<std::mutex> held(lock);
        return balance;
    }
    void set(int amount)
    {
        std::lock_guard<std::mutex> held(lock);
        balance = amount;
    }
};

static void deposit(std::shared_ptr<Account> account)
{
    std::shared_ptr<Account> copy = account;
    copy->set(copy->get() + 10);
}

int main()
{
    auto account = std::make_shared<Account>();
    std::thread one(deposit, account), two(deposit, account);
    one.join();
    two.join();
}
