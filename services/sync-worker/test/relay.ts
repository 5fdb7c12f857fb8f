import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** A TCP relay before a server, to take it away and bring it back. */
export class Relay implements AsyncDisposable {
  readonly port: number
  /** How many connections came. */
  connections = 0
  readonly #target: { host: string; port: number }
  readonly #sockets = new Set<Socket>()
  #server: Server

  private constructor(server: Server, target: { host: string; port: number }) {
    this.#server = server
    this.#target = target
    this.port = (server.address() as AddressInfo).port
    server.on('connection', (socket) => this.#join(socket))
  }

  static async to(target: { host: string; port: number }): Promise<Relay> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new Relay(server, target)
  }

  /** Connections that are open now. */
  get open(): number {
    return this.#sockets.size / 2
  }

  /** Cuts all connections and refuses new ones. */
  async down(): Promise<void> {
    this.#server.close()
    this.cut()
    if (this.#server.listening) await once(this.#server, 'close')
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async up(): Promise<void> {
    this.#server = createServer((socket) => this.#join(socket)).listen(this.port, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.down()
  }

  #join(near: Socket): void {
    this.connections++
    const far = connect(this.#target.port, this.#target.host)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(from)
      from.on('error', () => undefined)
      from.once('close', () => {
        this.#sockets.delete(from)
        to.destroy()
      })
      from.pipe(to)
    }
  }
}
