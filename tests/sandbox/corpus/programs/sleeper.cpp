#include <chrono>
#include <thread>

long long sleeper(long long n) {
    std::this_thread::sleep_for(std::chrono::hours(1));
    return n;
}
