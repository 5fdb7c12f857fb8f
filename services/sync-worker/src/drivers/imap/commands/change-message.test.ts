import { expect, test } from '@jest/globals'
import type { MailSession, MovedMessages } from '@posthorn/backends'
import { encodeMessageId } from '@posthorn/message-id'
import type { MailboxRow } from '../../../store/mailboxes.ts'
import { updateResult } from '../../messages/flag-result.ts'
import { assertLabelSupport, deletePermanently, movedMessageId } from './change-message.ts'

const mailbox = (id: string, specialUse: string | null = null) =>
  ({ id, path: `path ${id}`, specialUse, number: 7, uidValidity: '42' }) as MailboxRow
const trash = mailbox('trash', '\\Trash')

/** IMAP session that records the calls of its methods. */
function recorder({ gmail = false, moved = {} }: { gmail?: boolean; moved?: object } = {}) {
  const calls: unknown[][] = []
  const session = {
    capabilities: { gmail },
    ensureSelected: (path: string) => Promise.resolve(void calls.push(['ensureSelected', path])),
    expungeMessages: (uids: unknown) => Promise.resolve(void calls.push(['expunge', uids])),
    moveMessages: (uids: unknown, path: string) => {
      calls.push(['move', uids, path])
      return Promise.resolve({ path, ...moved })
    },
  }
  return { mail: session as unknown as MailSession, calls }
}

test('deletePermanently: expunges in the selected mailbox', async () => {
  const { mail, calls } = recorder()
  await deletePermanently(mail, [[1, 2]], { row: mailbox('inbox'), trash })
  expect(calls).toEqual([['expunge', [[1, 2]]]])
})

test('deletePermanently: on Gmail, moves to the trash and expunges there', async () => {
  const uids = new Map([
    [1, 12],
    [2, 11],
  ])
  const { mail, calls } = recorder({ gmail: true, moved: { uidValidity: 1n, uids } })
  const change = deletePermanently(mail, [[1, 4]], { row: mailbox('all', '\\All'), trash })
  // The messages with the UIDs 3 and 4 do not exist any more, so the move does not report them.
  expect(await change).toEqual([[3, 4]])
  expect(calls).toEqual([
    ['move', [[1, 4]], 'path trash'],
    ['ensureSelected', 'path trash'],
    ['expunge', [[11, 12]]],
  ])
})

test('deletePermanently: on Gmail without COPYUID, expunges nothing and reports no deletion', async () => {
  const { mail, calls } = recorder({ gmail: true })
  const change = deletePermanently(mail, [[1, 2]], { row: mailbox('all', '\\All'), trash })
  expect(await change).toEqual([[1, 2]])
  expect(calls).toEqual([['move', [[1, 2]], 'path trash']])
})

test.each([
  ['its trash', trash, trash],
  ['its spam', mailbox('spam', '\\Junk'), trash],
  ['an account whose trash is hidden', mailbox('all', '\\All'), undefined],
])('deletePermanently: on Gmail in %s, expunges there', async (_name, row, hasTrash) => {
  const { mail, calls } = recorder({ gmail: true })
  await deletePermanently(mail, [[3, 3]], { row, trash: hasTrash })
  expect(calls).toEqual([['expunge', [[3, 3]]]])
})

test('updateResult: contains each requested step', () => {
  const update = { flags: { add: ['a'], delete: [] }, labels: { set: [] } }
  expect(updateResult(update, { flags: true, labels: false })).toEqual({
    flags: { add: true, delete: true },
    labels: { set: false },
  })
  const success = { flags: false, labels: true }
  expect(updateResult({ flags: { set: ['a'] } }, success)).toEqual({ flags: { set: false } })
  expect(updateResult({}, success)).toEqual({})
})

test('assertLabelSupport: rejects labels without server support', () => {
  expect(() => assertLabelSupport(recorder().mail, { labels: {} })).toThrow(
    expect.objectContaining({ kind: 'unprocessable', code: 'MissingServerExtension' }),
  )
  assertLabelSupport(recorder().mail, { flags: {} })
  assertLabelSupport(recorder({ gmail: true }).mail, { labels: { add: ['a'] } })
})

test('movedMessageId: undefined unless the UIDVALIDITY is the stored one', () => {
  const moved: MovedMessages = { path: 'x', uidValidity: 42n, uids: new Map([[1, 5]]) }
  expect(movedMessageId(trash, moved)(1)).toBe(encodeMessageId({ mailbox: 7, uid: 5 }))
  expect(movedMessageId(trash, moved)(2)).toBeUndefined()
  expect(movedMessageId(trash, { ...moved, uidValidity: 43n })(1)).toBeUndefined()
  expect(movedMessageId({ ...trash, uidValidity: null }, moved)(1)).toBeUndefined()
  expect(movedMessageId(trash, { path: 'x' })(1)).toBeUndefined()
})
