import type { FetchedMessage, ReadAddress } from '@posthorn/backends'
import { expect, test } from '@jest/globals'
import { messageEntry } from './entry.ts'

const [ann, bob, list] = ['ann@example.com', 'bob@example.com', 'list@example.com'].map(
  (address): ReadAddress => ({ name: '', address }),
) as [ReadAddress, ReadAddress, ReadAddress]

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

test.each<[string, ReadAddress[], ReadAddress[], ReadAddress[] | undefined]>([
  ['nobody', [], [ann], undefined],
  ['whom it is from', [ann], [ann], undefined],
  ['whom it is from, under another name', [{ ...ann, name: 'Ann' }], [ann], undefined],
  // RFC 9051 §7.5.2: servers fill it with all of them.
  ['the two it is from', [ann, bob], [ann, bob], undefined],
  ['the first of the two it is from', [ann], [ann, bob], undefined],
  ['the second of the two it is from', [bob], [ann, bob], [bob]],
  ['somebody else', [list], [ann], [list]],
  ['somebody else as well', [ann, list], [ann], [ann, list]],
  ['somebody, of nobody', [list], [], [list]],
])('replyTo says something else than from: %s', (...[, replyTo, from, shown]) => {
  expect(entryOf({ replyTo, from }).replyTo).toEqual(shown)
})
