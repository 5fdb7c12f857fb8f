import type { ClientRequest } from 'node:http'

/** Timeout of the connection of one request, TLS included. */
export class ConnectTimer {
  /** True once there is a TCP connection: a later timeout is one of the response. */
  connected = false
  readonly #timeoutMs: number
  readonly #onTimeout: () => void
  #timer: NodeJS.Timeout | undefined

  constructor(timeoutMs: number, onTimeout: () => void) {
    this.#timeoutMs = timeoutMs
    this.#onTimeout = onTimeout
  }

  /**
   * Starts the timeout. A kept connection is ready, a TLS connection after its handshake. Call it
   * when the request has its socket.
   */
  start({ socket, reusedSocket, protocol }: ClientRequest): void {
    if (!socket || reusedSocket) {
      this.connected = reusedSocket
      return
    }
    this.connected = !socket.connecting
    if (socket.connecting) socket.once('connect', () => (this.connected = true))
    const secure = protocol === 'https:'
    if (this.connected && !secure) return
    this.#timer = setTimeout(this.#onTimeout, this.#timeoutMs)
    socket.once(secure ? 'secureConnect' : 'connect', () => this.clear())
  }

  clear(): void {
    clearTimeout(this.#timer)
  }
}
