import { expect, test } from '@jest/globals'
import type { MailSession } from '@posthorn/backends'
import { fetchMessage } from './get-message.ts'

/** IMAP session whose server fetches no message, but lists the given UIDs in searches. */
function emptySession(listed: [number, number][]): MailSession {
  const session = { fetchMessages: () => [], search: () => Promise.resolve(listed) }
  return session as unknown as MailSession
}

test('fetchMessage: a listed message that is not returned is unreachable, not missing', async () => {
  await expect(fetchMessage(emptySession([[7, 7]]), 7)).rejects.toMatchObject({
    kind: 'unreachable',
  })
  await expect(fetchMessage(emptySession([]), 7)).rejects.toMatchObject({ code: 'MessageNotFound' })
})
