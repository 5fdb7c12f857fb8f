import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { freePort } from '@posthorn/testkit'

/** TCP relay in front of a server, which can simulate an outage. */
export class Relay implements AsyncDisposable {
  readonly port: number
  /** Number of connections that the TCP relay has accepted so far. */
  connections = 0
  readonly #target: { host: string; port: number }
  readonly #sockets = new Set<Socket>()
  #server: Server | undefined

  private constructor(port: number, target: { host: string; port: number }) {
    this.#target = target
    this.port = port
  }

  /**
   * Starts a TCP relay to a mail server. The port of the relay stays free while the relay is down.
   */
  static async to(target: { host: string; port: number }): Promise<Relay> {
    const relay = new Relay(await freePort(), target)
    await relay.up()
    return relay
  }

  /** Number of connections that are open through the TCP relay. */
  get open(): number {
    return this.#sockets.size / 2
  }

  /**
   * Cuts all connections of the TCP relay and refuses new connections, like a server during an
   * outage.
   */
  async down(): Promise<void> {
    const server = this.#server
    if (!server) return
    this.#server = undefined
    const closed = once(server, 'close')
    server.close()
    this.cut()
    await closed
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async up(): Promise<void> {
    const server = createServer((socket) => this.#join(socket)).listen(this.port, '127.0.0.1')
    await once(server, 'listening')
    this.#server = server
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
