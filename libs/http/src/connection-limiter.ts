import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export interface ConnectionLimits {
  /** Connections at the same time. */
  max: number
  /** Beyond that, for health alone. */
  spare: number
  /** Told of what had to go: `waiting` for the connection that waited longest, `full` for the newcomer. */
  onDropped?: (which: 'waiting' | 'full') => void
}

interface Connection {
  readonly socket: Socket
  /** It came when there was no room. */
  readonly spare: boolean
  /** Its answers that are not out yet. */
  inHand: number
  /** Whether it ever asked for anything. */
  hasAsked: boolean
}

/**
 * The places of a server. Where all are taken, whoever has waited longest without asking for anything makes room: clients that hold
 * connections open and say little keep nobody out. Where all are being answered, newcomers get a spare place, and on it health alone.
 */
export class ConnectionLimiter {
  readonly #options: ConnectionLimits
  readonly #connections = new Map<string, Connection>()
  /** Those that ask for nothing now; the longest first. */
  readonly #waiting = new Set<Connection>()

  constructor(options: ConnectionLimits) {
    this.#options = options
  }

  get size(): number {
    return this.#connections.size
  }

  /** Gives a new connection a place, or ends it. */
  enter(socket: Socket): void {
    const id = idOf(socket)
    const { max, spare, onDropped } = this.#options
    if (this.size >= max) this.#dropLongestWaiting()
    if (id === undefined || this.size >= max + spare) {
      socket.destroy()
      onDropped?.('full')
      return
    }
    const connection = { socket, spare: this.size >= max, inHand: 0, hasAsked: false }
    this.#connections.set(id, connection)
    this.#waiting.add(connection)
    socket.once('close', () => this.#leave(id, connection))
  }

  /** Has a connection count as busy until the answer is out. Says how many answers it waits for now. */
  answers(socket: Socket, response: ServerResponse): number {
    const connection = this.#find(socket)
    if (!connection) return 1
    connection.inHand += 1
    connection.hasAsked = true
    this.#waiting.delete(connection)
    response.once('close', () => {
      connection.inHand -= 1
      if (connection.inHand === 0 && this.#find(socket) === connection)
        this.#waiting.add(connection)
    })
    return connection.inHand
  }

  /** Whether a connection has its answers and asks for nothing more. */
  isIdle(socket: Socket): boolean {
    const connection = this.#find(socket)
    return connection === undefined || (connection.hasAsked && connection.inHand === 0)
  }

  /** Whether a connection came when there was no room. */
  isSpare(socket: Socket): boolean {
    return this.#find(socket)?.spare === true
  }

  /** By its addresses: under TLS a request has another socket than the one that came. */
  #find(socket: Socket): Connection | undefined {
    return this.#connections.get(idOf(socket) ?? '')
  }

  #leave(id: string, connection: Connection): void {
    if (this.#connections.get(id) === connection) this.#connections.delete(id)
    this.#waiting.delete(connection)
  }

  #dropLongestWaiting(): void {
    const [longest] = this.#waiting
    const id = longest && idOf(longest.socket)
    if (!longest || id === undefined) return
    this.#leave(id, longest)
    longest.socket.destroy()
    this.#options.onDropped?.('waiting')
  }
}

/** Undefined once the other side has gone. */
function idOf({ remoteAddress, remotePort, localAddress }: Socket): string | undefined {
  return remotePort === undefined ? undefined : `${localAddress} ${remoteAddress} ${remotePort}`
}
