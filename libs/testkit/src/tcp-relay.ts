import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { freePort } from '@posthorn/local/process/ports'

/** Address of the server behind a TCP relay: `host:port`. */
export interface RelayTarget {
  hostname: string
  port: string
}

/** TCP relay in front of a server. Delays or drops data as a broken network does. */
export class TcpRelay implements AsyncDisposable {
  readonly port: number
  /** Number of pieces of data that the TCP relay dropped. */
  dropped = 0
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #target: RelayTarget
  #delayMs = 0
  #isSilent = false

  private constructor(port: number, target: RelayTarget) {
    this.port = port
    this.#target = target
    this.#server = createServer((client) => this.#join(client))
  }

  static async to(target: RelayTarget): Promise<TcpRelay> {
    const relay = new TcpRelay(await freePort(), target)
    relay.#server.listen(relay.port, '127.0.0.1')
    await once(relay.#server, 'listening')
    return relay
  }

  get address(): string {
    return `127.0.0.1:${this.port}`
  }

  /** Connects new clients of the TCP relay to another server. Open connections are cut. */
  retarget(target: RelayTarget): void {
    this.#target = target
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Delays the data of the TCP relay in each direction by `ms`. */
  delay(ms: number): void {
    this.#delayMs = ms
  }

  /** Drops all data of the TCP relay while `isSilent` is true, as a firewall that drops packets. */
  silence(isSilent: boolean): void {
    this.#isSilent = isSilent
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  #join(client: Socket): void {
    const upstream = connect(Number(this.#target.port), this.#target.hostname)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.#sockets.add(from)
      from.on('data', (chunk) => this.#pass(chunk, to))
      from.on('error', () => undefined)
      from.on('close', () => {
        this.#sockets.delete(from)
        to.destroy()
      })
    }
  }

  #pass(chunk: Buffer, to: Socket): void {
    if (this.#isSilent) this.dropped++
    else if (this.#delayMs === 0) to.write(chunk)
    // The order of relayed data is kept, because timers with equal delays fire in the order of
    // their creation.
    else setTimeout(() => to.destroyed || to.write(chunk), this.#delayMs)
  }
}
