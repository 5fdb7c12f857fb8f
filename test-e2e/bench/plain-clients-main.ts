import type { TestUser } from '@posthorn/testkit'
import { logIn } from '../stories/imap-client.ts'
import { loginsAtOnce } from './plain-clients.ts'
import { residentBytes } from './resident-bytes.ts'

// Plain IMAP clients in IDLE, one client per user. Shows the cost of an account without any
// service.
process.on('message', (users: TestUser[]) => void connectAll(users))
process.on('disconnect', () => process.exit(0))
process.send?.({ port: 0 })

async function connectAll(users: TestUser[]): Promise<void> {
  const waiting = [...users]
  const before = await residentBytes(process.pid)
  const from = performance.now()
  await Promise.all(
    Array.from({ length: loginsAtOnce }, async () => {
      for (let user = waiting.pop(); user; user = waiting.pop()) {
        const client = await logIn(user)
        await client.mailboxOpen('INBOX')
        void client.idle()
      }
    }),
  )
  const ms = performance.now() - from
  const bytes = ((await residentBytes(process.pid)) - before) / users.length
  process.send?.({ ms, bytes })
}
