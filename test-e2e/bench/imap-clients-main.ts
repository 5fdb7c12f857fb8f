import { openImapLine } from './imap-line.ts'

/** Request to a process of mail clients to open IMAP sessions and to keep them open. */
export interface SessionRequest {
  port: number
  tls: boolean
  login: string
  count: number
}

const atOnce = 16

// Mail clients in their own process that log in and stay idle. Replies when all clients are logged
// in.
process.on('message', (request: SessionRequest) => void hold(request))
process.on('disconnect', () => process.exit(0))
process.send?.({ port: 0 })

async function hold({ count, login, ...to }: SessionRequest): Promise<void> {
  let left = count
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) {
        const line = await openImapLine(to)
        await line.command(`LOGIN ${login}`)
      }
    }),
  )
  process.send?.('held')
}
