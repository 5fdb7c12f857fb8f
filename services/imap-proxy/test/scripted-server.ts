import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'

export interface ScriptedServer extends AsyncDisposable {
  readonly port: number
  /** Lines that the scripted mail server has received so far. */
  readonly received: string[]
}

/**
 * Starts a scripted mail server: a greeting, then `respond` for each line. After a response that
 * ends with `STARTTLS\n`, the server starts TLS.
 */
export async function scriptedServer(
  greeting: string,
  respond: (line: string, secure: boolean) => string | undefined,
  tls?: { cert: string; key: string },
): Promise<ScriptedServer> {
  const received: string[] = []
  const sockets = new Set<Socket>()
  const talk = (socket: Socket, secure: boolean) => {
    sockets.add(socket.on('error', () => undefined))
    let text = ''
    const onData = (chunk: Buffer) => {
      text += chunk.toString('latin1')
      for (let end = text.indexOf('\r\n'); end !== -1; end = text.indexOf('\r\n')) {
        const line = text.slice(0, end)
        text = text.slice(end + 2)
        received.push(line)
        const response = respond(line, secure)
        if (response === undefined) continue
        if (!response.endsWith('STARTTLS\n')) socket.write(response)
        else {
          socket.off('data', onData)
          socket.write(response.slice(0, -'STARTTLS\n'.length))
          talk(new TLSSocket(socket, { isServer: true, ...tls }), true)
          return
        }
      }
    }
    socket.on('data', onData)
  }
  const server = createServer((socket) => {
    socket.write(greeting)
    talk(socket, false)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    received,
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
