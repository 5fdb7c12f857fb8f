import type { FetchedMessage, EnvelopeAddress } from '@posthorn/backends'
import { expect, test } from '@jest/globals'
import { messageEntry } from './entry.ts'

const [ann, bob, list] = ['ann@example.com', 'bob@example.com', 'list@example.com'].map(
  (address): EnvelopeAddress => ({ name: '', address }),
) as [EnvelopeAddress, EnvelopeAddress, EnvelopeAddress]

function entryOf(addresses: Partial<FetchedMessage['envelope']>) {
  const envelope = { from: [], sender: [], replyTo: [], to: [], cc: [], bcc: [], ...addresses }
  const bodyStructure = { type: 'text/plain', part: '1' }
  const inbox = { number: 1, path: 'INBOX', specialUse: '\\Inbox' as const }
  const mailbox = { ...inbox, specialUseSource: null, attributes: [] }
  const internalDate = new Date(0)
  return messageEntry(
    { uid: 1, flags: [], size: 1, internalDate, envelope, bodyStructure },
    mailbox,
  )
}

test.each<[string, EnvelopeAddress[], EnvelopeAddress[], EnvelopeAddress[] | undefined]>([
  ['empty', [], [ann], undefined],
  ['equal to from', [ann], [ann], undefined],
  ['from with another name', [{ ...ann, name: 'Ann' }], [ann], undefined],
  // RFC 9051 §7.5.2: servers copy all From addresses.
  ['both from addresses', [ann, bob], [ann, bob], undefined],
  ['the first of two from addresses', [ann], [ann, bob], undefined],
  ['the second of two from addresses', [bob], [ann, bob], [bob]],
  ['another address', [list], [ann], [list]],
  ['another address in addition', [ann, list], [ann], [ann, list]],
  ['an address without from', [list], [], [list]],
])('messageEntry: replyTo is %s', (...[, replyTo, from, expected]) => {
  expect(entryOf({ replyTo, from }).replyTo).toEqual(expected)
})
