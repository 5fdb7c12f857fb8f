import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { selfSigned } from '@posthorn/local/self-signed'

// What Node alone takes to pass bytes on: two sockets and two pipes a session, with or without TLS towards the client.
const [target = '0', over = 'clear'] = process.argv.slice(2)
const relay = (client: Socket) => {
  const upstream = connect(Number(target), '127.0.0.1')
  for (const socket of [client, upstream]) socket.on('error', () => undefined)
  client.pipe(upstream)
  upstream.pipe(client)
}
const server =
  over === 'tls' ? createTlsServer(selfSigned(['localhost']), relay) : createServer(relay)
server.listen(0, '127.0.0.1', () =>
  process.send?.({ port: (server.address() as AddressInfo).port }),
)
process.on('disconnect', () => process.exit(0))
