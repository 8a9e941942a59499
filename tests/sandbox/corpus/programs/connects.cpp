#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

std::string connects(long long port) {
    int channel = socket(AF_INET, SOCK_STREAM, 0);
    if (channel < 0) return "refused";
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<unsigned short>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    bool connected = connect(channel, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    close(channel);
    return connected ? "connected" : "refused";
}
