import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export interface ConnectionLimits {
  /** Maximum concurrent connections. */
  max: number
  /** Further connections that are served health endpoints only. */
  spare: number
  /** Called with `waiting` for a dropped idle connection, `full` for a rejected new one. */
  onDropped?: (which: 'waiting' | 'full') => void
}

interface Connection {
  readonly socket: Socket
  /** True if it was accepted beyond `max`. */
  readonly spare: boolean
  /** Number of incomplete responses. */
  inFlight: number
  /** True if it has sent a request. */
  hasRequested: boolean
}

/**
 * Limits the connections of a server. At the limit, the connection that has been idle longest is
 * dropped, so that idle clients cannot block others. If none is idle, new connections get a spare
 * place, where they are served health endpoints only.
 */
export class ConnectionLimiter {
  readonly #options: ConnectionLimits
  readonly #connections = new Map<string, Connection>()
  /** Connections without a request in flight, longest idle first. */
  readonly #idle = new Set<Connection>()

  constructor(options: ConnectionLimits) {
    this.#options = options
  }

  get size(): number {
    return this.#connections.size
  }

  /** Admits a new connection or destroys it. */
  admit(socket: Socket): void {
    const id = idOf(socket)
    const { max, spare, onDropped } = this.#options
    if (this.size >= max) this.#dropLongestIdle()
    if (id === undefined || this.size >= max + spare) {
      socket.destroy()
      onDropped?.('full')
      return
    }
    const connection = { socket, spare: this.size >= max, inFlight: 0, hasRequested: false }
    this.#connections.set(id, connection)
    this.#idle.add(connection)
    socket.once('close', () => this.#remove(id, connection))
  }

  /** Marks a connection as busy until the response closes. Returns its requests in flight. */
  beginRequest(socket: Socket, response: ServerResponse): number {
    const connection = this.#find(socket)
    if (!connection) return 1
    connection.inFlight += 1
    connection.hasRequested = true
    this.#idle.delete(connection)
    response.once('close', () => {
      connection.inFlight -= 1
      if (connection.inFlight === 0 && this.#find(socket) === connection) this.#idle.add(connection)
    })
    return connection.inFlight
  }

  /** True if a connection has no request in flight and is not new. */
  isIdle(socket: Socket): boolean {
    const connection = this.#find(socket)
    return connection === undefined || (connection.hasRequested && connection.inFlight === 0)
  }

  /** True if a connection was accepted beyond `max`. */
  isSpare(socket: Socket): boolean {
    return this.#find(socket)?.spare === true
  }

  /** Finds a connection by its addresses: under TLS, the request's socket is another object. */
  #find(socket: Socket): Connection | undefined {
    return this.#connections.get(idOf(socket) ?? '')
  }

  #remove(id: string, connection: Connection): void {
    if (this.#connections.get(id) === connection) this.#connections.delete(id)
    this.#idle.delete(connection)
  }

  #dropLongestIdle(): void {
    const [longest] = this.#idle
    const id = longest && idOf(longest.socket)
    if (!longest || id === undefined) return
    this.#remove(id, longest)
    longest.socket.destroy()
    this.#options.onDropped?.('waiting')
  }
}

/** Returns undefined once the peer has disconnected. */
function idOf({ remoteAddress, remotePort, localAddress }: Socket): string | undefined {
  return remotePort === undefined ? undefined : `${localAddress} ${remoteAddress} ${remotePort}`
}
