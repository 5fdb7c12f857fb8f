import type { ImapFlow } from 'imapflow'
import { freshMessageId, plainMessage } from '../world.ts'

const appended = 250

/**
 * Fills an empty INBOX with at least `count` messages by appending some messages and copying them.
 * Every tenth message is unseen.
 */
export async function fillInbox(client: ImapFlow, count: number): Promise<number> {
  const first = Math.min(appended, count)
  for (let n = 0; n < first; n++)
    await client.append(
      'INBOX',
      plainMessage({ messageId: freshMessageId(), subject: `Message ${n}` }),
      n % 10 === 0 ? [] : ['\\Seen'],
      new Date('2024-01-01T00:00:00Z'),
    )
  await client.mailboxOpen('INBOX')
  for (let have = first; have < count;) {
    const more = Math.min(have, count - have)
    await client.messageCopy(`1:${more}`, 'INBOX')
    await client.noop()
    have += more
  }
  const { exists } = client.mailbox || { exists: 0 }
  await client.mailboxClose()
  return exists
}
