import { once } from 'node:events'
import { chmod, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'

export interface SaslauthdOptions {
  /** Path of the socket. */
  socket: string
  /** Lets everybody in, under any name. */
  password: string
}

const maxBytes = 4_096

/**
 * Answers questions about passwords as saslauthd does: four strings (user, password, service, realm), each behind its length in two
 * bytes; the answer is such a string, `OK` or `NO`.
 */
export async function serveSaslauthd({
  socket,
  password,
}: SaslauthdOptions): Promise<AsyncDisposable> {
  await rm(socket, { force: true })
  const open = new Set<Socket>()
  const server = createServer((connection) => {
    open.add(connection)
    connection.on('error', () => undefined).once('close', () => open.delete(connection))
    let asked: Buffer = Buffer.alloc(0)
    connection.on('data', (bytes) => {
      asked = Buffer.concat([asked, bytes])
      if (asked.length > maxBytes) return void connection.destroy()
      const strings = readStrings(asked)
      if (strings.length < 4) return
      connection.end(writeString(strings[0] !== '' && strings[1] === password ? 'OK' : 'NO'))
    })
  })
  server.listen(socket)
  await once(server, 'listening')
  await chmod(socket, 0o777) // Cyrus runs as another user than we
  return {
    async [Symbol.asyncDispose]() {
      for (const connection of open) connection.destroy()
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
