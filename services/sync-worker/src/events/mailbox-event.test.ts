import { expect, test } from '@jest/globals'
import { deriveEventId } from '@posthorn/db'
import { apiEventMailbox, apiMessageKey, mailboxEvent } from './mailbox-event.ts'

const account = { account: 'ann', registeredAt: 1_700_000_000_000 }
const inbox = { path: 'INBOX', specialUse: '\\Inbox' }
const id = `${'aB-_=/%'.repeat(28)}!~~~`

/** Event id of the `messageNew` of a message at a mail API. */
function eventIdOf({ of = account, mailbox = inbox, message = id, epoch = 7 } = {}): string {
  const key = apiMessageKey({ id: message, epoch })
  const event = { event: 'messageNew', key, data: {} }
  return mailboxEvent(of, apiEventMailbox(mailbox), event).eventId
}

test('mailboxEvent: of an IMAP account, the id depends on the path', () => {
  const { eventId } = mailboxEvent(account, inbox, { event: 'mailboxNew', key: [3], data: {} })
  const fact = ['mailboxNew', 'ann', 1_700_000_000_000, 'INBOX', 3]
  expect(eventId).toBe(deriveEventId(fact))
})

test('mailboxEvent: of a mail API, the id depends on account, message and epoch only', () => {
  expect(id).toHaveLength(200)
  expect(eventIdOf()).toBe(deriveEventId(['messageNew', 'ann', 1_700_000_000_000, id, 7]))
  expect(eventIdOf({ mailbox: { path: 'Renamed', specialUse: '\\Inbox' } })).toBe(eventIdOf())
  const others = [
    { of: { ...account, account: 'bob' } },
    { of: { ...account, registeredAt: 1_800_000_000_000 } },
    { message: id.slice(1) },
    { epoch: 8 },
  ].map(eventIdOf)
  expect(new Set([eventIdOf(), ...others]).size).toBe(5)
})

test('mailboxEvent: of a mail API, has the path and special use of the mailbox', () => {
  const event = { event: 'messageDeleted', key: apiMessageKey({ id, epoch: 7 }), data: { id } }
  expect(mailboxEvent(account, apiEventMailbox(inbox), event)).toMatchObject({
    event: 'messageDeleted',
    account: 'ann',
    path: 'INBOX',
    specialUse: '\\Inbox',
    data: { id },
  })
})
