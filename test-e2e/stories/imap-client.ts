import type { TestUser } from '@posthorn/testkit'
import { ImapFlow } from 'imapflow'

/** Logs in to the mail server directly, without the IMAP proxy. */
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
