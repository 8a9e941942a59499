const net = require("net");

async function connects(port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, "127.0.0.1");
    socket.on("connect", () => resolve("connected"));
    socket.on("error", () => resolve("refused"));
  });
}
