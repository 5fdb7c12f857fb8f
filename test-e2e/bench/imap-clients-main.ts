import { openImapLine } from './imap-line.ts'

/** So many sessions to be opened and held. */
export interface Holding {
  port: number
  tls: boolean
  login: string
  count: number
}

const atOnce = 16

// Mail clients that log in and say nothing more, in a process of their own. Answers when all are in.
process.on('message', (holding: Holding) => void hold(holding))
process.on('disconnect', () => process.exit(0))
process.send?.({ port: 0 })

async function hold({ count, login, ...to }: Holding): Promise<void> {
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
