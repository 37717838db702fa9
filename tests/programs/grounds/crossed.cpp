// Two mutexes in both orders, behind a counter that nobody looks at: a deadlock in every recording.
#include <mutex>
#include <thread>

class Crossing
{
  public:
    void north()
    {
        arrive();
        std::lock_guard<std::mutex> first(left_);
        std::lock_guard<std::mutex> second(right_);
    }
    void south()
    {
        arrive();
        std::lock_guard<std::mutex> first(right_);
        std::lock_guard<std::mutex> second(left_);
    }

  private:
    void arrive()
    {
        std::lock_guard<std::mutex> held(guard_);
        active_ += 1;
    }

    std::mutex left_, right_, guard_;
    int active_ = 0;
};

int main()
{
    Crossing crossing;
    std::thread one(&Crossing::north, &crossing), two(&Crossing::south, &crossing);
    one.join();
    two.join();
}
