import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'

export interface TcpLink {
  port: number
  /** Resets every TCP connection through the link. */
  cut: () => void
  /** Blocks all data of the TCP link without closing connections, like a pulled cable. */
  freeze: () => void
  close: () => Promise<void>
}

/** TCP forwarder between mail client and mail server that can fail on request. */
export async function tcpLink(target: { host: string; port: number }): Promise<TcpLink> {
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(target.port, target.host)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.once('close', () => {
        sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    near.pipe(far)
    far.pipe(near)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => sockets.forEach((socket) => socket.resetAndDestroy()),
    freeze: () =>
      sockets.forEach((socket) => {
        socket.unpipe()
        socket.pause()
      }),
    async close() {
      sockets.forEach((socket) => socket.destroy())
      server.close()
      await once(server, 'close')
    },
  }
}

/** TCP port that accepts connections but never sends data. */
export async function silentPort(): Promise<AsyncDisposable & { port: number }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      sockets.forEach((socket) => socket.destroy())
      server.close()
      await once(server, 'close')
    },
  }
}
