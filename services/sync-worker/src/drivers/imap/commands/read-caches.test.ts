import { expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import type { ImapAccountSession } from '../connections/imap-account-session.ts'
import type { MailboxRow } from '../../../store/mailboxes.ts'
import { MailboxCache } from './read-caches.ts'
import { indexingError } from './mailbox.ts'

/** Cache of mailbox rows, and the stored row of a mailbox whose number the test may change. */
function readers() {
  const cache = new MailboxCache()
  const stored = { number: 1, finds: 0 }
  const find = async () => {
    stored.finds++
    return { number: stored.number } as MailboxRow
  }
  const read = (session: object, work: (row: MailboxRow) => Promise<unknown>) =>
    cache.use(session as ImapAccountSession, { key: 'INBOX', find }, work)
  return { stored, read, number: async ({ number }: MailboxRow) => number }
}
const session = {}

test('MailboxCache.use: a cached row is not looked up again', async () => {
  const { stored, read, number } = readers()
  expect(await read(session, number)).toBe(1)
  expect(await read(session, number)).toBe(1)
  expect(stored.finds).toBe(1)
  expect(await read({}, number)).toBe(1)
  expect(stored.finds).toBe(2)
})

test('MailboxCache.use: not found with a cached row, repeats with the stored one', async () => {
  const { stored, read } = readers()
  const notFound = new AppError('not-found', 'gone', { code: 'MessageNotFound' })
  const only = (expected: number) => async (row: MailboxRow) => {
    if (row.number !== expected) throw notFound
    return row.number
  }
  await read(session, only(1))
  stored.number = 2
  expect(await read(session, only(2))).toBe(2)
  await expect(read(session, only(3))).rejects.toBe(notFound)
  expect(stored.finds).toBe(3)
})

test('MailboxCache.use: other errors pass without a retry', async () => {
  const { stored, read, number } = readers()
  await read(session, number)
  const failure = new AppError('unavailable', 'no connection', { code: 'IMAPUnavailable' })
  await expect(read(session, () => Promise.reject(failure))).rejects.toBe(failure)
  expect(stored.finds).toBe(1)
})

test('MailboxCache.use: a missing mailbox is not cached', async () => {
  const cache = new MailboxCache()
  let finds = 0
  const find = async (): Promise<MailboxRow> => {
    finds++
    throw new AppError('not-found', 'gone', { code: 'FolderNotFound' })
  }
  for (let time = 0; time < 2; time++)
    await expect(
      cache.use(session as ImapAccountSession, { key: 'x', find }, async () => 1),
    ).rejects.toThrow('gone')
  expect(finds).toBe(2)
})

test('MailboxCache.use: retries a mailbox that is being indexed', async () => {
  const cache = new MailboxCache([1, 1])
  let finds = 0
  const lookup = { key: 'new', find: async () => ({ number: ++finds }) as MailboxRow }
  const indexedAt = (attempt: number) => {
    finds = 0
    return cache.use(session as ImapAccountSession, lookup, async (row) => {
      if (row.number < attempt) throw indexingError('connected')
      return row.number
    })
  }
  expect(await indexedAt(3)).toBe(3)
  await expect(indexedAt(9)).rejects.toMatchObject({ code: 'IMAPUnavailable' })
  // The cached mailbox row is read once, and the stored row three times.
  expect(finds).toBe(3)
})
