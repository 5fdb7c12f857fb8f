import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { freePort } from '@posthorn/testkit'

/**
 * TCP proxy in front of a server. Tests can cut the proxy's connections or make the proxy drop all
 * data.
 */
export async function cuttable(target: string) {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let silent = false
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('data', (chunk) => silent || to.write(chunk))
      from.on('error', () => undefined)
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  })
  const listen = async (at: number) => {
    server.listen(at, '127.0.0.1')
    await once(server, 'listening')
  }
  // The port of the TCP proxy is not ephemeral. Otherwise a connection of another process could
  // take the port while the proxy is closed.
  const at = await freePort()
  await listen(at)
  const close = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: Object.assign(new URL(target), { hostname: '127.0.0.1', port: String(at) }).href,
    cut: close,
    mend: () => listen(at),
    /** Makes the TCP proxy drop all data, like a firewall that drops packets. */
    silence: (on: boolean) => void (silent = on),
    close,
  }
}
