import { once } from 'node:events'
import { chmod, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'

export interface SaslauthdOptions {
  /** Path of the Unix socket of saslauthd. */
  socket: string
  /** Password that the password checker (saslauthd) accepts for every user name. */
  password: string
}

const maxBytes = 4_096

/**
 * Starts a server of the saslauthd protocol, which checks passwords. A request consists of four
 * strings: user, password, service and realm. A length field of two bytes precedes each string. The
 * reply is one string, `OK` or `NO`.
 */
export async function serveSaslauthd({
  socket,
  password,
}: SaslauthdOptions): Promise<AsyncDisposable> {
  await rm(socket, { force: true })
  const connections = new Set<Socket>()
  const server = createServer((connection) => {
    connections.add(connection)
    connection.on('error', () => undefined).once('close', () => connections.delete(connection))
    let request: Buffer = Buffer.alloc(0)
    connection.on('data', (bytes) => {
      request = Buffer.concat([request, bytes])
      if (request.length > maxBytes) return void connection.destroy()
      const strings = readStrings(request)
      if (strings.length < 4) return
      connection.end(writeString(strings[0] !== '' && strings[1] === password ? 'OK' : 'NO'))
    })
  })
  server.listen(socket)
  await once(server, 'listening')
  await chmod(socket, 0o777) // Cyrus, which connects to the socket, runs as another user.
  return {
    async [Symbol.asyncDispose]() {
      for (const connection of connections) connection.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function readStrings(bytes: Buffer): string[] {
  const strings: string[] = []
  for (let at = 0; at + 2 <= bytes.length;) {
    const end = at + 2 + bytes.readUInt16BE(at)
    if (end > bytes.length) break
    strings.push(bytes.toString('utf8', at + 2, end))
    at = end
  }
  return strings
}

function writeString(text: string): Buffer {
  const bytes = Buffer.from(text)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  return Buffer.concat([length, bytes])
}
