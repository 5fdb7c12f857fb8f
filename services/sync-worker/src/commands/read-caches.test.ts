import { expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import type { AccountSession } from '../sessions/account-session.ts'
import type { MailboxRow } from '../store/mailboxes.ts'
import { MailboxCache } from './read-caches.ts'
import { indexingError } from './mailbox.ts'

/** Readers of a mailbox that is stored under a number, which may change. */
function readers() {
  const known = new MailboxCache()
  const stored = { number: 1, finds: 0 }
  const find = async () => {
    stored.finds++
    return { number: stored.number } as MailboxRow
  }
  const read = (session: object, work: (row: MailboxRow) => Promise<unknown>) =>
    known.use(session as AccountSession, { key: 'INBOX', find }, work)
  return { stored, read, number: async ({ number }: MailboxRow) => number }
}
const session = {}

test('a mailbox that was used a moment ago is not looked up again', async () => {
  const { stored, read, number } = readers()
  expect(await read(session, number)).toBe(1)
  expect(await read(session, number)).toBe(1)
  expect(stored.finds).toBe(1)
  expect(await read({}, number)).toBe(1)
  expect(stored.finds).toBe(2)
})

test('who does not find what should be there looks it up and tries once more', async () => {
  const { stored, read } = readers()
  const notFound = new AppError('not-found', 'gone', { code: 'MessageNotFound' })
  const only = (wanted: number) => async (row: MailboxRow) => {
    if (row.number !== wanted) throw notFound
    return row.number
  }
  await read(session, only(1))
  stored.number = 2
  expect(await read(session, only(2))).toBe(2)
  await expect(read(session, only(3))).rejects.toBe(notFound)
  expect(stored.finds).toBe(3)
})

test('any other failure is told at once', async () => {
  const { stored, read, number } = readers()
  await read(session, number)
  const failure = new AppError('unavailable', 'no connection', { code: 'IMAPUnavailable' })
  await expect(read(session, () => Promise.reject(failure))).rejects.toBe(failure)
  expect(stored.finds).toBe(1)
})

test('a mailbox that is not there is looked for each time', async () => {
  const known = new MailboxCache()
  let finds = 0
  const find = async (): Promise<MailboxRow> => {
    finds++
    throw new AppError('not-found', 'gone', { code: 'FolderNotFound' })
  }
  for (let time = 0; time < 2; time++)
    await expect(
      known.use(session as AccountSession, { key: 'x', find }, async () => 1),
    ).rejects.toThrow('gone')
  expect(finds).toBe(2)
})

test('a mailbox whose sync is on its way is waited for, a little', async () => {
  const known = new MailboxCache([1, 1])
  let looks = 0
  const sought = { key: 'new', find: async () => ({ number: ++looks }) as MailboxRow }
  const indexedAt = (look: number) => {
    looks = 0
    return known.use(session as AccountSession, sought, async (row) => {
      if (row.number < look) throw indexingError('connected')
      return row.number
    })
  }
  expect(await indexedAt(3)).toBe(3)
  await expect(indexedAt(9)).rejects.toMatchObject({ code: 'IMAPUnavailable' })
  // What was known of it, and then what is stored.
  expect(looks).toBe(3)
})
