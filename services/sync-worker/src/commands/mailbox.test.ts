import { expect, test } from '@jest/globals'
import type { MailSession } from '@posthorn/backends'
import type { MailboxRow } from '../store/mailboxes.ts'
import { selectIndexed } from './mailbox.ts'

const row = { id: '7', number: 1, path: 'Phoenix', uidValidity: '1' } as MailboxRow

/**
 * Opens the mailbox where the server names this UIDVALIDITY; `learnt` is its row then, where no
 * sync looks after it.
 */
async function open(uidValidity: bigint, learnt?: MailboxRow) {
  const distrusted: string[] = []
  const found = { uidValidity }
  const mail = { open: async () => found, select: async () => found } as unknown as MailSession
  const session = {
    state: 'connected' as const,
    storeUidValidity: async () => learnt,
    requestReselect: (mailbox: string) => void distrusted.push(mailbox),
  }
  const opened = await selectIndexed(mail, row, { session }).catch((error: unknown) => error)
  return { opened, found, distrusted }
}

test('a mailbox that is the one whose ids are known is opened, and nothing else happens', async () => {
  const { opened, found, distrusted } = await open(1n)
  expect(opened).toBe(found)
  expect(distrusted).toEqual([])
})

test('one that is another than the sync knows is to be opened by the sync, and the asker comes again', async () => {
  const { opened, distrusted } = await open(2n)
  expect(opened).toMatchObject({
    kind: 'unavailable',
    code: 'IMAPUnavailable',
    extras: { state: 'connected' },
  })
  expect(distrusted).toEqual(['7'])
})

test('one that no sync looks after is opened where its ids stay the same', async () => {
  expect((await open(2n, row)).opened).toMatchObject({ uidValidity: 2n })
  const { opened, distrusted } = await open(2n, { ...row, number: 2 })
  expect(opened).toMatchObject({ kind: 'unavailable' })
  expect(distrusted).toEqual(['7'])
})
