import * as net from "net";

async function connects(port: number): Promise<string> {
  return new Promise<string>((resolve) => {
    const socket = net.connect(port, "127.0.0.1");
    socket.on("connect", () => resolve("connected"));
    socket.on("error", () => resolve("refused"));
  });
}
