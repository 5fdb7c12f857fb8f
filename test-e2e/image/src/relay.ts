import { once } from 'node:events'
import { connect, createServer } from 'node:net'

/**
 * Accepts connections at an address of this machine and relays them to the same port on loopback,
 * so that containers can reach servers of this machine.
 */
export async function relayToLoopback(host: string, port: number): Promise<AsyncDisposable> {
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    client.pipe(upstream).pipe(client)
    for (const socket of [client, upstream])
      socket.on('error', () => undefined).on('close', () => (client.destroy(), upstream.destroy()))
  })
  server.listen(port, host)
  await once(server, 'listening')
  return {
    async [Symbol.asyncDispose]() {
      server.close()
    },
  }
}
