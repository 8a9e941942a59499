#include <bits/stdc++.h>
#include <sys/resource.h>
#include <unistd.h>
using namespace std;

int dive(int depth) { return depth ? 1 + dive(depth - 1) : 0; }

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    long long total = 0, number;
    while (cin >> number) total += number;
    vector<long long> numbers(2'000'000);
    mt19937_64 random(chrono::steady_clock::now().time_since_epoch().count());
    for (auto &one : numbers) one = random();
    sort(numbers.begin(), numbers.end());
    random_device device;
    map<string, int> counts;
    for (int i = 0; i < 10000; i++) counts[to_string(device() % 100)]++;
    vector<thread> threads;
    atomic<long long> sum{0};
    mutex guard;
    condition_variable ready;
    for (int i = 0; i < 4; i++) threads.emplace_back([&, i] { lock_guard lock(guard); sum += i; ready.notify_all(); });
    for (auto &one : threads) one.join();
    auto later = async(launch::async, [] { this_thread::sleep_for(20ms); return 7; });
    ofstream("scratch.txt") << total << "\n" << setprecision(17) << 1.0 / 3;
    ifstream back("scratch.txt");
    string line;
    getline(back, line);
    filesystem::remove("scratch.txt");
    rusage used;
    getrusage(RUSAGE_SELF, &used);
    cout << total << ' ' << counts.size() << ' ' << sum << ' ' << later.get() << ' ' << line << ' ' << dive(10000) << '\n';
    printf("%.10f %d\n", 0.1, (int)clock() > 0);
    fprintf(stderr, "end\n");
    try { throw runtime_error("x"); } catch (exception &error) { cout << error.what() << endl; }
    time_t now = time(nullptr);
    cout << (localtime(&now)->tm_year > 100) << getenv("HOME") << endl;
    if (fork() == 0) abort();
    return 0;
}
