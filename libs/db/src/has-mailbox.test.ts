import { expect, test } from '@jest/globals'
import { assertCanSend } from './can-send.ts'
import { hasMailbox, isSendOnly, type MailboxColumns } from './has-mailbox.ts'

const server = { disabled: false }
const sendOnly: MailboxColumns = { backend: 'imap', imap: null }
const disabled: MailboxColumns = { backend: 'imap', imap: { disabled: true } }
const atServer: MailboxColumns = { backend: 'imap', imap: server }
const atGmail: MailboxColumns = { backend: 'gmail', imap: null }
const atGraph: MailboxColumns = { backend: 'graph', imap: null }
const sendingByGmail: MailboxColumns = { backend: 'gmail', imap: { disabled: true } }
const unsynced = { state: null, initializedAt: null, lastError: null }

test('hasMailbox: an enabled IMAP server or an API with a grant to read', () => {
  const accounts = [sendOnly, disabled, atServer, atGmail, atGraph, sendingByGmail]
  expect(accounts.map(hasMailbox)).toEqual([false, false, true, true, true, false])
})

test('isSendOnly: neither an IMAP server, disabled or not, nor an API with a grant to read', () => {
  const accounts = [sendOnly, disabled, atServer, atGmail, atGraph, sendingByGmail]
  expect(accounts.map(isSendOnly)).toEqual([true, false, false, false, false, true])
})

test('assertCanSend: an account of an API has to be connected first, as one with IMAP', () => {
  const fresh = { ...unsynced, smtp: { host: 'smtp.example.com' } }
  for (const account of [sendOnly, disabled]) assertCanSend({ ...fresh, ...account })
  for (const account of [atServer, atGmail, atGraph]) {
    expect(() => assertCanSend({ ...fresh, ...account })).toThrow(
      expect.objectContaining({ code: 'NotYetConnected' }),
    )
    assertCanSend({ ...fresh, ...account, initializedAt: new Date() })
  }
})

test('assertCanSend: an account of an API sends without a server, one of a server does not', () => {
  const connected = { ...unsynced, smtp: null, initializedAt: new Date() }
  for (const account of [atGmail, atGraph]) assertCanSend({ ...connected, ...account })
  assertCanSend({ ...unsynced, ...sendingByGmail, smtp: null })
  expect(() => assertCanSend({ ...connected, ...atServer })).toThrow(
    expect.objectContaining({ code: 'SMTPUnavailable' }),
  )
  assertCanSend({ ...connected, ...atServer, gateway: 'relay' })
})

test.each(['AppNotFound', 'InvalidBaseScopes'])(
  'assertCanSend: %s before the first sync, internal with its code',
  (serverResponseCode) => {
    const failed = { ...unsynced, ...atServer, state: 'connectError' as const, smtp: server }
    const lastError = { response: 'The application was not found', serverResponseCode }
    expect(() => assertCanSend({ ...failed, lastError })).toThrow(
      expect.objectContaining({ kind: 'internal', code: serverResponseCode }),
    )
    // The error of the account belongs to an earlier state and is ignored in the state
    // `connecting`.
    expect(() => assertCanSend({ ...failed, state: 'connecting', lastError })).toThrow(
      expect.objectContaining({ kind: 'unavailable', code: 'NotYetConnected' }),
    )
    assertCanSend({ ...failed, lastError, initializedAt: new Date() })
  },
)
