import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { dataHeaders } from './security-headers.ts'

/** Time a client has to read the response before the socket is destroyed. */
const lingerMs = 2_000

/** Responds to a connection without a valid request, with the usual error body, and closes it. */
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
  setTimeout(() => socket.destroy(), lingerMs).unref()
}
