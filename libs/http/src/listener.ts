import { once } from 'node:events'
import { createServer, type RequestListener, type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'

/** A slow client may take this long over its head, its whole request, and between two requests. */
const limits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 15_000,
  requestTimeout: 120_000, // 50 MB at 4 Mbit/s
  // Longer than the usual 60 s of a load balancer: it must be the one that closes idle connections.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
}
/** What a client still sends once it has its answer is read for so long, lest it never sees the answer. */
const lingerMs = 5_000
/** After this long a stopping server drops the requests that are left; the process itself may take 10 s. */
const graceMs = 8_000

/** An HTTP server with bounds on everything a client may take its time over. */
export function createListener(answer: RequestListener): Server {
  const server = createServer(limits, (request, response) => {
    response.once('finish', () => {
      if (request.complete) return
      setTimeout(() => request.complete || request.destroy(), lingerMs).unref()
    })
    if (!server.listening) response.setHeader('Connection', 'close')
    answer(request, response)
  })
  server.on('clientError', refuse)
  return server
}

const statuses: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }

/** What is no HTTP request gets the same error body as everything else. */
function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const status = statuses[error.code ?? ''] ?? 400
  const phrase = STATUS_CODES[status] ?? 'Error'
  const body = JSON.stringify({
    statusCode: status,
    error: phrase,
    message: 'Not a valid HTTP request',
  })
  const head = `HTTP/1.1 ${status} ${phrase}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8`
  socket.end(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
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
