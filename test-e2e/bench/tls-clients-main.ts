import { ImapFlow } from 'imapflow'
import { residentBytes } from './resident-bytes.ts'

/** Request to connect bare IMAP clients over TLS. */
export interface TlsClientsRequest {
  port: number
  count: number
}

const atOnce = 10
/**
 * Number of IMAP clients that are connected before the measurement, to load code and tables that
 * all clients share.
 */
const warmUp = 50

// Bare imapflow clients in IDLE over TLS. Replies with the resident memory per client in bytes.
process.on('message', (request: TlsClientsRequest) => void connectAll(request))
process.on('disconnect', () => process.exit(0))
process.send?.({ port: 0 })

async function connectAll({ port, count }: TlsClientsRequest): Promise<void> {
  await connectSome(port, warmUp)
  const before = await residentBytes(process.pid)
  await connectSome(port, count)
  process.send?.(((await residentBytes(process.pid)) - before) / count)
}

async function connectSome(port: number, count: number): Promise<void> {
  let left = count
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) await connect(port)
    }),
  )
}

async function connect(port: number): Promise<void> {
  const client = new ImapFlow({
    host: '127.0.0.1',
    port,
    secure: true,
    tls: { rejectUnauthorized: false },
    auth: { user: 'user', pass: 'secret' },
    logger: false,
  })
  client.on('error', () => undefined)
  await client.connect()
  await client.mailboxOpen('INBOX')
  void client.idle()
}
