import type { TestUser } from '@posthorn/testkit'
import { ImapFlow } from 'imapflow'

/** A mail client of the user's own, straight at the mail server. */
export async function logIn(user: TestUser): Promise<ImapFlow> {
  const client = new ImapFlow({
    host: user.host,
    port: user.imapPort,
    secure: false,
    tls: { rejectUnauthorized: false },
    auth: { user: user.user, pass: user.pass },
    logger: false,
  })
  client.on('error', () => undefined)
  await client.connect()
  return client
}
