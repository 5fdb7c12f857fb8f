import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import { freePort } from '@posthorn/local/process/ports'

/**
 * Lets a server listen on loopback and resolves with the port. The default port is a free port that
 * no later server of the test file gets, because clients of a closed server still connect to its
 * port.
 */
export async function listen(server: Server, port = 0, host = '127.0.0.1'): Promise<number> {
  server.listen(port === 0 ? await freePort() : port, host)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/**
 * Lets a server stop listening, then ends its connections with `end`. Resolves when all connections
 * have ended.
 */
export async function stopListening(server: Server, end: () => void): Promise<void> {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  end()
  await closed
}
