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

/** Default time limits for clients of the HTTP server, in milliseconds. */
const defaultTimeouts = {
  /** Maximum time until the head of a request is complete, from the start of the connection. */
  headMs: 15_000,
  /** Maximum time until a whole request is complete: 50 MB at 4 Mbit/s. */
  requestMs: 120_000,
  /**
   * Maximum time between two requests of a connection. Above the usual 60 s of load balancers,
   * which must close first.
   */
  idleMs: 65_000,
  /** Maximum time without progress while a client reads a response. */
  readMs: 60_000,
  /** Maximum duration of a TLS handshake. */
  handshakeMs: 15_000,
  /** Interval at which the limits `headMs` and `requestMs` are checked. */
  checkMs: 5_000,
}
export type HttpTimeouts = typeof defaultTimeouts

const maxHeaderBytes = 16 * 1024
/** Maximum requests in flight of one HTTP connection. Few clients pipeline at all. */
const maxPipelined = 100
/**
 * Time for which the remaining bytes of a request are read after its response, so that the client
 * receives the response.
 */
const lingerMs = 5_000

interface ListenerOptions {
  limiter: ConnectionLimiter
  /** Certificate of the server. If present, the server accepts TLS only. */
  certificate?: KeyPair | undefined
  timeouts?: Partial<HttpTimeouts> | undefined
  /** Signal that aborts when the server shall end each connection after its next response. */
  stopping: AbortSignal
}

/** Creates an HTTP or HTTPS server with limits on connections, sizes and times. */
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
  // Node would silently drop headers above its limit; the handler `assertHead` rejects the request
  // instead.
  server.maxHeadersCount = 0
  const responses = new WeakMap<Socket, ServerResponse>()
  const openResponses = new Set<ServerResponse>()
  stopping.addEventListener('abort', () => openResponses.forEach(closeAfterResponse))
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    // Further pipelined requests may follow the request that exceeded the limit of a connection.
    if (request.socket.destroyed) return
    // The log, the limiter, the handler and each stage of a stream add a listener to the response.
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
  // `readJson` sends 100 Continue when it reads the body. Without 100 Continue, the client has not
  // sent the body, so the connection cannot be reused.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    closeAfterResponse(response)
    onRequest(request, response)
  })
  server.on('checkExpectation', ({ socket }: IncomingMessage) => refuseRaw(socket, 417))
  server.on('connect', ({ socket }: IncomingMessage) => refuseRaw(socket, 404))
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const response = responses.get(socket)
    // The client would read a second response as a part of the response in progress.
    const isResponding = response?.headersSent === true && !response.writableFinished
    if (isResponding || !/^(?:HPE|ERR_HTTP)_/.test(error.code ?? '')) socket.destroy()
    else refuseRaw(socket, statuses[error.code ?? ''] ?? 400)
  })
  // The socket timeout applies between requests and while the client reads, but not while a handler
  // works.
  server.setTimeout(timeouts.readMs, (socket: Socket) => {
    if (socket.writableLength > 0 || limiter.isIdle(socket)) socket.destroy()
  })
  return server
}

/**
 * Ends the connection of a client after the response, and announces the end in the head of the
 * response.
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
    // Without a Host header, Node would respond without a body; the handler `assertHead` checks the
    // header instead.
    requireHostHeader: false,
  }
}

/** HTTP statuses of errors of Node's HTTP parser; other parser errors are 400. */
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
  // A kept-alive connection would stay open after a response whose head was sent before the close
  // began.
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

/** Time a refused client has to read the response before the socket is destroyed. */
const refusedLingerMs = 2_000

/**
 * Responds to a connection without a valid request, with the usual error body, and closes the
 * connection.
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
  // A client that does not read the response must not keep the connection.
  setTimeout(() => socket.destroy(), refusedLingerMs).unref()
}
