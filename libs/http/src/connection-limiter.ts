import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf, plainAddress } from '@posthorn/net/addresses'
import { hasBody } from './read-body.ts'

export interface ConnectionLimits {
  /** Maximum concurrent connections of the HTTP server. */
  max: number
  /** Maximum concurrent connections of one client address (IPv6: /64). */
  maxPerAddress: number
  /**
   * True for a client address without the maximum per address, such as the address of a reverse
   * proxy.
   */
  isExempt?: ((address: string) => boolean) | undefined
  /** Number of further connections beyond a maximum, on which only health endpoints are served. */
  spare: number
  /**
   * Called for a dropped connection: with `waiting` for a connection that waited for its client,
   * with `full` for a rejected new connection.
   */
  onDropped?: (which: 'waiting' | 'full') => void
}

interface Connection {
  readonly id: string
  readonly socket: Socket
  /** Connections of the client's address, counted together; undefined if the address is exempt. */
  readonly peer: Peer | undefined
  /** True if the connection was accepted beyond a maximum (spare connection). */
  readonly spare: boolean
  /** Number of incomplete responses of the connection. */
  inFlight: number
  /** Latest request of the connection; undefined before the first request. */
  request: IncomingMessage | undefined
}

/** Number of connections of one client address. */
interface Peer {
  readonly network: string
  count: number
  readonly waiting: Set<Connection>
}

/**
 * Limits the connections of an HTTP server and of each client address. At a limit, the connection
 * that has waited longest for its client is dropped: idle, or with an incomplete request body.
 * Clients that send nothing therefore cannot block other clients. If no connection waits, new
 * connections get a spare place, where they are served health endpoints only.
 */
export class ConnectionLimiter {
  readonly #options: ConnectionLimits
  readonly #connections = new Map<string, Connection>()
  readonly #peers = new Map<string, Peer>()
  /**
   * HTTP connections that wait for their client, longest first. Connections whose request body has
   * become complete meanwhile are removed when they are found.
   */
  readonly #waiting = new Set<Connection>()
  #spares = 0

  constructor(options: ConnectionLimits) {
    this.#options = options
  }

  get size(): number {
    return this.#connections.size
  }

  /** Number of HTTP requests whose response is not complete. */
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
   * Marks a connection as busy until the response closes. Returns its number of requests in flight.
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

  /** True if a connection has no request in flight and is not new. */
  isIdle(socket: Socket): boolean {
    const connection = this.#find(socket)
    return (
      connection === undefined || (connection.request !== undefined && connection.inFlight === 0)
    )
  }

  /** True if a connection was accepted beyond a maximum. */
  isSpare(socket: Socket): boolean {
    return this.#find(socket)?.spare === true
  }

  /** Finds a connection by its addresses: under TLS, the request's socket is another object. */
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
    // The limiter has dropped the connection already, and the client may have connected again from
    // the same port.
    if (this.#connections.get(id) !== connection) return
    this.#connections.delete(id)
    this.#dequeue(connection)
    if (spare) this.#spares -= 1
    if (!peer) return
    peer.count -= 1
    if (peer.count === 0) this.#peers.delete(peer.network)
  }

  /**
   * Moves a connection to the end of the connections that wait for their client, or removes the
   * connection from them.
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

/** True if the HTTP server waits for the client of a connection to send more. */
function waitsForClient({ inFlight, request }: Connection): boolean {
  if (inFlight === 0) return true
  // With more than one request in flight, an earlier pipelined request is complete: work is in
  // progress.
  return inFlight === 1 && request !== undefined && hasBody(request) && !request.complete
}

/** Id of a connection from its addresses and ports. Undefined once the peer has disconnected. */
function idOf({ remoteAddress, remotePort, localAddress }: Socket): string | undefined {
  return remotePort === undefined ? undefined : `${localAddress} ${remoteAddress} ${remotePort}`
}
