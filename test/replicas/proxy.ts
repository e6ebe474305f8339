/** A network between two parts that can be cut: a TCP proxy. */
import { connect, createServer, type Server, type Socket } from "node:net";

export class Network {
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  #isCut = false;

  constructor(
    port: number,
    private readonly to: () => number,
  ) {
    this.#server = createServer((from) => this.#join(from)).listen(port, "127.0.0.1");
  }

  /** Nothing comes through any more, and nobody is told; or it does again. */
  cut(isCut: boolean): void {
    this.#isCut = isCut;
    for (const socket of this.#sockets) if (isCut) socket.destroy();
  }

  close(): void {
    this.cut(true);
    this.#server.close();
  }

  #join(from: Socket): void {
    if (this.#isCut) {
      from.destroy();
      return;
    }
    const to = connect(this.to(), "127.0.0.1");
    for (const socket of [from, to]) {
      this.#sockets.add(socket);
      socket
        .on("error", () => {})
        .on("close", () => {
          this.#sockets.delete(socket);
          from.destroy();
          to.destroy();
        });
    }
    from.pipe(to).pipe(from);
  }
}
