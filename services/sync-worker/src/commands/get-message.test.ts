import { expect, test } from '@jest/globals'
import type { MailSession } from '@posthorn/backends'
import { fetchMessage } from './get-message.ts'

/** A session whose server gives nothing of any message, and finds these. */
function silent(found: [number, number][]): MailSession {
  const session = { fetchMessages: () => [], search: () => Promise.resolve(found) }
  return session as unknown as MailSession
}

test('a message that is there and is not given is not said to be gone', async () => {
  await expect(fetchMessage(silent([[7, 7]]), 7)).rejects.toMatchObject({ kind: 'unreachable' })
  await expect(fetchMessage(silent([]), 7)).rejects.toMatchObject({ code: 'MessageNotFound' })
})
