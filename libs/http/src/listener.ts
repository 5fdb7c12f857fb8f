import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { Socket } from 'node:net'
import type { ConnectionLimiter } from './connection-limiter.ts'
import { type KeyPair, minVersion } from './reload-certificate.ts'
import { dataHeaders } from './security-headers.ts'

/** Default time limits for HTTP clients, in milliseconds. */
const defaultTimeouts = {
  /**
   * Maximum time from the start of an HTTP connection until the head of its first request is
   * complete.
   */
  headMs: 15_000,
  /**
   * Maximum time until an HTTP request is completely received. Sufficient for 50 MB at 4 Mbit/s.
   */
  requestMs: 120_000,
  /**
   * Maximum time between two requests on an HTTP connection. Longer than the usual 60 s of load
   * balancers, so that the load balancer closes the connection first.
   */
  idleMs: 65_000,
  /** Maximum time for which a client that reads an HTTP response may read nothing. */
  readMs: 60_000,
  /** Maximum duration of a TLS handshake with an HTTP client. */
  handshakeMs: 15_000,
  /** Interval at which the HTTP server checks the time limits `headMs` and `requestMs`. */
  checkMs: 5_000,
}
export type HttpTimeouts = typeof defaultTimeouts

const maxHeaderBytes = 16 * 1024
/**
 * Maximum number of requests in flight on one HTTP connection. Only few clients send several
 * requests without waiting (pipelining).
 */
const maxPipelined = 100
/**
 * Time for which the HTTP server continues to read the rest of a request after its response. If the
 * server stopped reading immediately, the client might not receive the response.
 */
const lingerMs = 5_000

interface ListenerOptions {
  limiter: ConnectionLimiter
  /** Certificate of the HTTP server. If present, the server accepts only TLS connections. */
  certificate?: KeyPair | undefined
  timeouts?: Partial<HttpTimeouts> | undefined
  /**
   * Signal for the shutdown of the HTTP server. After it aborts, each connection is closed after
   * its next response.
   */
  stopping: AbortSignal
}

/**
 * Creates an HTTP or HTTPS server with limits on the connections, sizes and times of its clients.
 */
export function createListener(handler: RequestListener, options: ListenerOptions): Server {
  const { limiter, certificate, stopping } = options
  const timeouts = { ...defaultTimeouts, ...options.timeouts }
  const limits = limitsOf(timeouts)
  const server = certificate
    ? createSecureServer({
        ...limits,
        ...certificate,
        minVersion,
        handshakeTimeout: timeouts.handshakeMs,
      })
    : createServer(limits)
  // Disables Node's limit for the number of headers, above which Node silently drops headers. The
  // handler `assertHead` rejects such a request instead.
  server.maxHeadersCount = 0
  const responses = new WeakMap<Socket, ServerResponse>()
  const openResponses = new Set<ServerResponse>()
  stopping.addEventListener('abort', () => openResponses.forEach(closeAfterResponse))
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    // More pipelined requests may arrive after an HTTP connection was closed because it had too
    // many requests. These requests are ignored.
    if (request.socket.destroyed) return
    // Node's default limit for event listeners is too low for an HTTP response: the log, the
    // limiter, the handler and each stage of a stream add listeners to a response.
    response.setMaxListeners(30)
    if (limiter.beginRequest(request, response) > maxPipelined) {
      request.socket.destroy()
      return
    }
    responses.set(request.socket, response)
    response.once('finish', () => {
      if (request.complete) return
      setTimeout(() => request.complete || request.destroy(), lingerMs).unref()
    })
    openResponses.add(response)
    response.once('close', () => openResponses.delete(response))
    if (stopping.aborted || limiter.isSpare(request.socket)) closeAfterResponse(response)
    handler(request, response)
  }
  server.on('connection', (socket: Socket) => limiter.admit(socket))
  server.on('request', onRequest)
  // After the response to a request with `Expect: 100-continue`, the HTTP connection is closed. The
  // client sends the body only after `readJson` has sent 100 Continue, and may not have sent the
  // body at the time of the response.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    closeAfterResponse(response)
    onRequest(request, response)
  })
  server.on('checkExpectation', ({ socket }: IncomingMessage) => refuseRaw(socket, 417))
  server.on('connect', ({ socket }: IncomingMessage) => refuseRaw(socket, 404))
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const response = responses.get(socket)
    // For an invalid request that arrives while a response is in progress on the HTTP connection,
    // no error response is sent. The client would read it as a part of the first response.
    const isResponding = response?.headersSent === true && !response.writableFinished
    if (isResponding || !/^(?:HPE|ERR_HTTP)_/.test(error.code ?? '')) socket.destroy()
    else refuseRaw(socket, statuses[error.code ?? ''] ?? 400)
  })
  // The timeout of an HTTP socket applies while the client reads a response and between two
  // requests, but not while a handler works.
  server.setTimeout(timeouts.readMs, (socket: Socket) => {
    if (socket.writableLength > 0 || limiter.isIdle(socket)) socket.destroy()
  })
  return server
}

/**
 * Closes the HTTP connection after the response. The header `Connection: close` announces this to
 * the client.
 */
function closeAfterResponse(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close')
}

function limitsOf({ headMs, requestMs, idleMs, checkMs }: HttpTimeouts) {
  return {
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: headMs,
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: checkMs,
    // For a request without a Host header, Node would send a response without a body. The handler
    // `assertHead` therefore checks the header instead.
    requireHostHeader: false,
  }
}

/**
 * HTTP statuses for errors of Node's HTTP parser, by error code. All other parser errors get the
 * status 400.
 */
const statuses: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

/**
 * Closes an HTTP server: stops accepting connections and completes requests in flight. After
 * `timeoutMs`, calls `onTimeout` and drops the remaining connections.
 */
export async function closeListener(
  server: Server,
  timeoutMs: number,
  onTimeout: () => void,
): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  // Idle HTTP connections are closed repeatedly during the shutdown. A connection whose last
  // response began before the shutdown would otherwise stay open (keep-alive).
  const idle = setInterval(() => server.closeIdleConnections(), 50)
  const late = setTimeout(() => {
    onTimeout()
    server.closeAllConnections()
  }, timeoutMs)
  try {
    await closed
  } finally {
    clearInterval(idle)
    clearTimeout(late)
  }
}

/**
 * Time that a rejected HTTP client has to read the error response before the socket is destroyed.
 */
const refusedLingerMs = 2_000

/**
 * Sends an error response with the usual error body to a client whose HTTP request was invalid, and
 * closes the connection.
 */
export function refuseRaw(socket: Socket, status: number): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const phrase = STATUS_CODES[status] ?? 'Error'
  const message = status === 400 ? 'Not a valid HTTP request' : phrase
  const body = JSON.stringify({ statusCode: status, error: phrase, message })
  const head = [
    `HTTP/1.1 ${status} ${phrase}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...Object.entries(dataHeaders).map(([name, value]) => `${name}: ${value}`),
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  // The socket of a rejected HTTP client is destroyed after a delay, so that a client that does not
  // read the response cannot keep the connection open.
  setTimeout(() => socket.destroy(), refusedLingerMs).unref()
}
