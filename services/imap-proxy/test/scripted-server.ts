import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'

export interface ScriptedServer extends AsyncDisposable {
  readonly port: number
  /** All lines that were heard. */
  readonly heard: string[]
}

/**
 * A mail server that says what it is told to: a greeting, and to each line what `answer` makes of it. `STARTTLS\n` at the end of an
 * answer goes over to TLS after it.
 */
export async function scriptedServer(
  greeting: string,
  answer: (line: string, secure: boolean) => string | undefined,
  tls?: { cert: string; key: string },
): Promise<ScriptedServer> {
  const heard: string[] = []
  const sockets = new Set<Socket>()
  const talk = (socket: Socket, secure: boolean) => {
    sockets.add(socket.on('error', () => undefined))
    let text = ''
    const onData = (chunk: Buffer) => {
      text += chunk.toString('latin1')
      for (let end = text.indexOf('\r\n'); end !== -1; end = text.indexOf('\r\n')) {
        const line = text.slice(0, end)
        text = text.slice(end + 2)
        heard.push(line)
        const said = answer(line, secure)
        if (said === undefined) continue
        if (!said.endsWith('STARTTLS\n')) socket.write(said)
        else {
          socket.off('data', onData)
          socket.write(said.slice(0, -'STARTTLS\n'.length))
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
    heard,
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
