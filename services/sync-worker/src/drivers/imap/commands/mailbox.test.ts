import { expect, test } from '@jest/globals'
import type { MailSession } from '@posthorn/backends'
import type { MailboxRow } from '../../../store/mailboxes.ts'
import { selectIndexed } from './mailbox.ts'

const row = { id: '7', number: 1, path: 'Phoenix', uidValidity: '1' } as MailboxRow

/**
 * Selects the mailbox in a fake IMAP session that reports a UIDVALIDITY. `stored` is the mailbox
 * row after the UIDVALIDITY was stored, for a mailbox without a sync.
 */
async function select(uidValidity: bigint, stored?: MailboxRow) {
  const reselected: string[] = []
  const selected = { uidValidity }
  const mail = {
    ensureSelected: async () => selected,
    select: async () => selected,
  } as unknown as MailSession
  const session = {
    state: 'connected' as const,
    messageCounts: new Map<string, number>(),
    storeUidValidity: async () => stored,
    requestReselect: (mailbox: string) => void reselected.push(mailbox),
  }
  const result = await selectIndexed(mail, row, { session }).catch((error: unknown) => error)
  return { result, selected, reselected }
}

test('selectIndexed: stored UIDVALIDITY, returns the counters', async () => {
  const { result, selected, reselected } = await select(1n)
  expect(result).toBe(selected)
  expect(reselected).toEqual([])
})

test('selectIndexed: another UIDVALIDITY, requests a reselect and a retry', async () => {
  const { result, reselected } = await select(2n)
  expect(result).toMatchObject({
    kind: 'unavailable',
    code: 'IMAPUnavailable',
    extras: { state: 'connected' },
  })
  expect(reselected).toEqual(['7'])
})

test('selectIndexed: mailbox without a sync, succeeds if its number stays the same', async () => {
  expect((await select(2n, row)).result).toMatchObject({ uidValidity: 2n })
  const { result, reselected } = await select(2n, { ...row, number: 2 })
  expect(result).toMatchObject({ kind: 'unavailable' })
  expect(reselected).toEqual(['7'])
})
