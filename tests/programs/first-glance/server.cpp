// A job server: clients hand in jobs, workers run them, results go into accounts, a log keeps what happened.
// BROKEN: a worker counts a job and logs that with the statistics locked; a summary does it the other way around.
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace
{

// What a worker is to do: move an amount from one account to another, or look at the balance of one.
struct Job {
    enum class Kind { transfer, balance };

    Kind kind = Kind::balance;
    int from = 0;
    int to = 0;
    int amount = 0;
    int client = 0;
};

// Lines that all threads write and main counts at the end.
class Log
{
  public:
    void add(const std::string &line)
    {
        std::lock_guard<std::mutex> guard(mutex_); // planted: waits here
        lines_.push_back(line);
    }

    // Two lines in a row; `make` makes the second.
    template <typename Make> void addBoth(const std::string &line, Make make)
    {
#ifdef BROKEN
        std::lock_guard<std::mutex> guard(mutex_);
        std::string second = make(); // planted
#else
        std::string second = make();
        std::lock_guard<std::mutex> guard(mutex_);
#endif
        lines_.push_back(line);
        lines_.push_back(second);
    }

    std::size_t size() const
    {
        std::lock_guard<std::mutex> guard(mutex_);
        return lines_.size();
    }

  private:
    mutable std::mutex mutex_;
    std::vector<std::string> lines_;
};

class Account
{
  public:
    explicit Account(int balance) : balance_(balance)
    {
    }

    std::mutex &mutex()
    {
        return mutex_;
    }

    // The caller holds the mutex.
    int balance() const
    {
        return balance_;
    }
    void change(int amount)
    {
        balance_ += amount;
    }

  private:
    std::mutex mutex_;
    int balance_;
};

// Accounts by number. The list itself never changes once the server runs.
class Bank
{
  public:
    void open(int balance)
    {
        accounts_.push_back(std::make_unique<Account>(balance));
    }

    bool transfer(int from, int to, int amount)
    {
        if (from == to)
            return true;
        Account &source = at(from), &target = at(to);
        std::lock_guard<std::mutex> first(from < to ? source.mutex() : target.mutex());
        std::lock_guard<std::mutex> second(from < to ? target.mutex() : source.mutex());
        if (source.balance() < amount)
            return false;
        source.change(-amount);
        target.change(amount);
        return true;
    }

    int balance(int number)
    {
        Account &account = at(number);
        std::lock_guard<std::mutex> guard(account.mutex());
        return account.balance();
    }

    int total()
    {
        int sum = 0;
        for (std::size_t i = 0; i < accounts_.size(); i++)
            sum += balance(static_cast<int>(i));
        return sum;
    }

  private:
    Account &at(int number)
    {
        if (number < 0 || static_cast<std::size_t>(number) >= accounts_.size())
            throw std::out_of_range("no such account");
        return *accounts_[static_cast<std::size_t>(number)];
    }

    std::vector<std::unique_ptr<Account>> accounts_;
};

// Jobs in the order they came. Closed when no more will come.
class Queue
{
  public:
    void push(const Job &job)
    {
        {
            std::lock_guard<std::mutex> guard(mutex_);
            jobs_.push_back(job);
        }
        changed_.notify_one();
    }

    bool pop(Job &job)
    {
        std::unique_lock<std::mutex> guard(mutex_);
        changed_.wait(guard, [this] { return closed_ || !jobs_.empty(); });
        if (jobs_.empty())
            return false;
        job = jobs_.front();
        jobs_.pop_front();
        return true;
    }

    void close()
    {
        {
            std::lock_guard<std::mutex> guard(mutex_);
            closed_ = true;
        }
        changed_.notify_all();
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Job> jobs_;
    bool closed_ = false;
};

// How much was done, by kind.
class Statistics
{
  public:
    void done(bool ok, Log &log)
    {
        std::lock_guard<std::mutex> guard(mutex_);
        if (ok)
            done_++;
        else
            refused_++;
        log.add("job " + std::to_string(done_ + refused_)); // planted
    }

    int done() const
    {
        std::lock_guard<std::mutex> guard(mutex_); // planted: waits here
        return done_;
    }

    int refused() const
    {
        std::lock_guard<std::mutex> guard(mutex_);
        return refused_;
    }

  private:
    mutable std::mutex mutex_;
    int done_ = 0;
    int refused_ = 0;
};

class Server
{
  public:
    Server(Bank &bank, Log &log, int workers) : bank_(bank), log_(log)
    {
        for (int i = 0; i < workers; i++)
            workers_.emplace_back([this] { work(); });
    }

    ~Server()
    {
        stop();
    }

    Server(const Server &) = delete;
    Server &operator=(const Server &) = delete;

    void submit(const Job &job)
    {
        queue_.push(job);
    }

    void stop()
    {
        queue_.close();
        for (std::thread &worker : workers_)
            if (worker.joinable())
                worker.join();
    }

    // What there is to say while the workers run.
    void summarize()
    {
        log_.addBoth("so far", [this] { return std::to_string(statistics_.done()); }); // planted
    }

    const Statistics &statistics() const
    {
        return statistics_;
    }

  private:
    void work()
    {
        Job job;
        while (queue_.pop(job))
            run(job);
    }

    void run(const Job &job)
    {
        switch (job.kind) {
        case Job::Kind::transfer: {
            bool ok = bank_.transfer(job.from, job.to, job.amount);
            statistics_.done(ok, log_);
            log_.add(ok ? "moved" : "refused");
            break;
        }
        case Job::Kind::balance:
            statistics_.done(true, log_);
            log_.add("balance " + std::to_string(bank_.balance(job.from)));
            break;
        }
    }

    Bank &bank_;
    Log &log_;
    Queue queue_;
    Statistics statistics_;
    std::vector<std::thread> workers_;
};

// A client hands in some jobs, one after the other.
void request(Server &server, int client)
{
    Job job;

    job.client = client;
    job.kind = Job::Kind::transfer;
    job.from = client;
    job.to = 1 - client;
    job.amount = 5 + client;
    server.submit(job);
    job.kind = Job::Kind::balance;
    server.submit(job);
}

} // namespace

int main()
{
    enum { WORKERS = 2, CLIENTS = 2, BALANCE = 100 };
    Bank bank;
    Log log;

    for (int i = 0; i < CLIENTS; i++)
        bank.open(BALANCE);
    {
        Server server(bank, log, WORKERS);
        std::vector<std::thread> clients;

        for (int i = 0; i < CLIENTS; i++)
            clients.emplace_back([&server, i] { request(server, i); });
        for (std::thread &client : clients)
            client.join();
        server.summarize();
        server.stop();
        std::printf("%d done, %d refused\n", server.statistics().done(), server.statistics().refused());
    }
    std::printf("%d in all, %zu lines\n", bank.total(), log.size());
    return bank.total() == CLIENTS * BALANCE ? 0 : 1;
}
