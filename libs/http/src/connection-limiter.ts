import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf, plainAddress } from '@posthorn/net/addresses'
import { hasBody } from './read-body.ts'

export interface ConnectionLimits {
  /** Maximum number of concurrent connections to the HTTP server. */
  max: number
  /** Maximum number of concurrent HTTP connections from one client address (IPv6: /64). */
  maxPerAddress: number
  /**
   * Function that returns true if an address may have any number of connections, such as the
   * address of a reverse proxy.
   */
  isExempt?: ((address: string) => boolean) | undefined
  /**
   * Number of additional HTTP connections that are accepted above a maximum. On these spare
   * connections, only health endpoints are served.
   */
  spare: number
  /**
   * Called when an HTTP connection is dropped. `waiting`: the connection waited for its client.
   * `full`: a new connection was rejected.
   */
  onDropped?: (which: 'waiting' | 'full') => void
}

interface Connection {
  readonly id: string
  readonly socket: Socket
  /**
   * Counter for the HTTP connections from the client's address. Undefined if the maximum per
   * address does not apply to the address.
   */
  readonly peer: Peer | undefined
  /**
   * True if the HTTP connection was accepted although the maximum number of connections was reached
   * (spare connection).
   */
  readonly spare: boolean
  /** Number of HTTP requests on the connection whose response is not complete. */
  inFlight: number
  /** Latest request on the HTTP connection. Undefined before the first request. */
  request: IncomingMessage | undefined
}

/** Number of HTTP connections from one client address. */
interface Peer {
  readonly network: string
  count: number
  readonly waiting: Set<Connection>
}

/**
 * Limits the number of connections to an HTTP server, in total and from each client address. At a
 * limit, the connection that has waited longest for its client is dropped. Such a connection is
 * idle, or its request body is incomplete. Clients that send nothing can therefore not block other
 * clients. If no connection waits for its client, a new connection becomes a spare connection, on
 * which only health endpoints are served.
 */
export class ConnectionLimiter {
  readonly #options: ConnectionLimits
  readonly #connections = new Map<string, Connection>()
  readonly #peers = new Map<string, Peer>()
  /**
   * HTTP connections that wait for their client, starting with the longest wait. A connection whose
   * request body has become complete is removed when it is found in this list.
   */
  readonly #waiting = new Set<Connection>()
  #spares = 0

  constructor(options: ConnectionLimits) {
    this.#options = options
  }

  get size(): number {
    return this.#connections.size
  }

  /** Number of HTTP requests to the server whose response is not complete. */
  get inFlight(): number {
    return [...this.#connections.values()].reduce((sum, { inFlight }) => sum + inFlight, 0)
  }

  /** Admits a new connection to the HTTP server or destroys the connection. */
  admit(socket: Socket): void {
    const id = idOf(socket)
    const { max, maxPerAddress, spare: maxSpare, onDropped } = this.#options
    const peer = this.#peerOf(socket)
    if (peer && peer.count >= maxPerAddress) this.#dropLongestWaiting(peer.waiting)
    if (this.size >= max) this.#dropLongestWaiting(this.#waiting)
    const spare = this.size >= max || (peer !== undefined && peer.count >= maxPerAddress)
    if (id === undefined || (spare && this.#spares >= maxSpare)) {
      socket.destroy()
      onDropped?.('full')
      return
    }
    const connection = { id, socket, peer, spare, inFlight: 0, request: undefined }
    this.#add(connection)
    socket.once('close', () => this.#remove(connection))
  }

  /**
   * Marks the HTTP connection of a request as busy until the response is closed. Returns the number
   * of requests in flight on the connection.
   */
  beginRequest(request: IncomingMessage, response: ServerResponse): number {
    const connection = this.#find(request.socket)
    if (!connection) return 1
    connection.inFlight += 1
    connection.request = request
    this.#requeue(connection)
    response.once('close', () => {
      connection.inFlight -= 1
      if (this.#connections.get(connection.id) === connection) this.#requeue(connection)
    })
    return connection.inFlight
  }

  /**
   * True if an HTTP connection has no request in flight. False for a new connection without any
   * request.
   */
  isIdle(socket: Socket): boolean {
    const connection = this.#find(socket)
    return (
      connection === undefined || (connection.request !== undefined && connection.inFlight === 0)
    )
  }

  /**
   * True if an HTTP connection was accepted although the maximum number of connections was reached.
   */
  isSpare(socket: Socket): boolean {
    return this.#find(socket)?.spare === true
  }

  /**
   * Finds the limiter's entry for an HTTP connection by its addresses and ports. The socket object
   * is not used, because with TLS the request has another socket object.
   */
  #find(socket: Socket): Connection | undefined {
    return this.#connections.get(idOf(socket) ?? '')
  }

  #peerOf({ remoteAddress }: Socket): Peer | undefined {
    const address = plainAddress(remoteAddress)
    if (this.#options.isExempt?.(address)) return undefined
    const network = networkOf(address)
    return this.#peers.get(network) ?? { network, count: 0, waiting: new Set() }
  }

  #add(connection: Connection): void {
    const { id, peer, spare } = connection
    this.#connections.set(id, connection)
    if (spare) this.#spares += 1
    if (peer) {
      peer.count += 1
      this.#peers.set(peer.network, peer)
    }
    this.#requeue(connection)
  }

  #remove(connection: Connection): void {
    const { id, peer, spare } = connection
    // If the connection limiter has dropped the HTTP connection before, nothing is removed: the
    // entry with this id may belong to a new connection from the same port of the client.
    if (this.#connections.get(id) !== connection) return
    this.#connections.delete(id)
    this.#dequeue(connection)
    if (spare) this.#spares -= 1
    if (!peer) return
    peer.count -= 1
    if (peer.count === 0) this.#peers.delete(peer.network)
  }

  /**
   * Moves an HTTP connection to the end of the list of connections that wait for their client. If
   * the connection does not wait for its client, removes it from the list.
   */
  #requeue(connection: Connection): void {
    this.#dequeue(connection)
    if (!waitsForClient(connection)) return
    this.#waiting.add(connection)
    connection.peer?.waiting.add(connection)
  }

  #dequeue(connection: Connection): void {
    this.#waiting.delete(connection)
    connection.peer?.waiting.delete(connection)
  }

  #dropLongestWaiting(waiting: ReadonlySet<Connection>): void {
    for (const connection of waiting) {
      this.#dequeue(connection)
      if (!waitsForClient(connection)) continue
      this.#remove(connection)
      connection.socket.destroy()
      this.#options.onDropped?.('waiting')
      return
    }
  }
}

/**
 * True if the HTTP server can only continue a request when the client of the connection sends more
 * data.
 */
function waitsForClient({ inFlight, request }: Connection): boolean {
  if (inFlight === 0) return true
  // With several HTTP requests in flight on a connection, the server still works on an earlier
  // pipelined request, so it does not wait for the client.
  return inFlight === 1 && request !== undefined && hasBody(request) && !request.complete
}

/**
 * Id of an HTTP connection, which consists of its addresses and ports. Undefined after the client
 * has disconnected.
 */
function idOf({ remoteAddress, remotePort, localAddress }: Socket): string | undefined {
  return remotePort === undefined ? undefined : `${localAddress} ${remoteAddress} ${remotePort}`
}
