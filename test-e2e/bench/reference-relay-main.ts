import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { connect as connectTls, createServer as createTlsServer } from 'node:tls'
import { selfSigned } from '@posthorn/local/files/certificate'

// Reference relay: two sockets and two pipes of Node per session, with or without TLS on either
// side.
const [target = '0', over = 'clear', upstreamOver = 'clear'] = process.argv.slice(2)
const to = { port: Number(target), host: '127.0.0.1' }
const relay = (client: Socket) => {
  const upstream =
    upstreamOver === 'tls' ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to)
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
