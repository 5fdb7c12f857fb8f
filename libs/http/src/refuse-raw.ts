import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { dataHeaders } from './security-headers.ts'

/** What is no HTTP request gets the same error body as everything else, and the connection ends. */
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
  // Whoever does not read it does not keep the connection.
  setTimeout(() => socket.destroy(), lingerMs).unref()
}

const lingerMs = 2_000
