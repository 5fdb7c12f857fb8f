import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { Socket } from 'node:net'
import type { ConnectionLimiter } from './connection-limiter.ts'
import { type KeyPair, minVersion } from './reload-certificate.ts'
import { refuseRaw } from './refuse-raw.ts'

/** What a client may take its time over, in milliseconds. */
export interface HttpTimeouts {
  /** For the head of a request, from the connection on. */
  headMs: number
  /** For a request as a whole: 50 MB at 4 Mbit/s. */
  requestMs: number
  /** Between two requests. Longer than the usual 60 s of a load balancer: it must be the one that closes idle connections. */
  idleMs: number
  /** For taking the next byte of an answer that waits to be read. */
  readMs: number
  /** For showing that it speaks TLS. */
  handshakeMs: number
  /** How often the first two are looked at. */
  checkMs: number
}

const usualPatience: HttpTimeouts = {
  headMs: 15_000,
  requestMs: 120_000,
  idleMs: 65_000,
  readMs: 60_000,
  handshakeMs: 15_000,
  checkMs: 5_000,
}

const maxHeaderBytes = 16 * 1024
/** Requests of one connection that wait for their answers. Clients that send the next one before they have the last answer are few; those with more are none. */
const maxPipelined = 100
/** What a client still sends once it has its answer is read for so long, lest it never sees the answer. */
const lingerMs = 5_000
/** After this long a stopping server drops the requests that are left; the process itself may take 10 s. */
const graceMs = 8_000

export interface ListenerOptions {
  room: ConnectionLimiter
  /** Speaks TLS with it, and nothing else. */
  certificate?: KeyPair | undefined
  timeouts?: Partial<HttpTimeouts>
}

/** An HTTP server with bounds on everything a client may take its time over. */
export function createListener(answer: RequestListener, options: ListenerOptions): Server {
  const { room, certificate } = options
  const patience = { ...usualPatience, ...options.timeouts }
  const limits = limitsOf(patience)
  const server = certificate
    ? createSecureServer({
        ...limits,
        ...certificate,
        minVersion,
        handshakeTimeout: patience.handshakeMs,
      })
    : createServer(limits)
  // Node would drop what is above its limit, and the request would say something else than was sent: `assertHead` refuses it.
  server.maxHeadersCount = 0
  const running = new WeakMap<Socket, ServerResponse>()
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    // More of them may have come in one piece with the one that was too many.
    if (request.socket.destroyed) return
    // The log, the room, whoever waits for the answer and every stage of a stream want to know when it is over.
    response.setMaxListeners(30)
    if (room.answers(request.socket, response) > maxPipelined) {
      request.socket.destroy()
      return
    }
    running.set(request.socket, response)
    response.once('finish', () => {
      if (request.complete) return
      setTimeout(() => request.complete || request.destroy(), lingerMs).unref()
    })
    const isLast = !server.listening || room.isSpare(request.socket)
    if (isLast) response.setHeader('Connection', 'close')
    answer(request, response)
  }
  server.on('connection', (socket: Socket) => room.enter(socket))
  server.on('request', onRequest)
  // Who asks before sending a body is told to go on when it is read, by `readJson`; or gets its answer, and may then send neither
  // the body nor anything else here.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('Connection', 'close')
    onRequest(request, response)
  })
  server.on('checkExpectation', ({ socket }: IncomingMessage) => refuseRaw(socket, 417))
  server.on('connect', ({ socket }: IncomingMessage) => refuseRaw(socket, 404))
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const response = running.get(socket)
    // In the middle of an answer another one would be taken for the rest of it.
    const isAnswering = response?.headersSent === true && !response.writableFinished
    if (isAnswering || !/^(?:HPE|ERR_HTTP)_/.test(error.code ?? '')) socket.destroy()
    else refuseRaw(socket, statuses[error.code ?? ''] ?? 400)
  })
  // Also where the time between two requests is over. Work that takes long is none of a client's fault.
  server.setTimeout(patience.readMs, (socket: Socket) => {
    if (socket.writableLength > 0 || room.isIdle(socket)) socket.destroy()
  })
  return server
}

function limitsOf({ headMs, requestMs, idleMs, checkMs }: HttpTimeouts) {
  return {
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: headMs,
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: checkMs,
    // Node would refuse with an empty body: `assertHead` does it.
    requireHostHeader: false,
  }
}

const statuses: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

/** Takes no more connections, answers the requests in hand, and drops what is left after a while. */
export async function closeListener(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  // A connection becomes idle when its request is answered, and would stay open for the next one.
  const idle = setInterval(() => server.closeIdleConnections(), 50)
  const late = setTimeout(() => server.closeAllConnections(), graceMs)
  try {
    await closed
  } finally {
    clearInterval(idle)
    clearTimeout(late)
  }
}
