import { expect, test } from '@jest/globals'
import { applyFlags, compare } from './compare.ts'
import { labelEntry, maxLabels, splitNames } from './flag-names.ts'
import { MailboxIndex, maxKeywords } from './mailbox-index.ts'

function indexOf(messages: Parameters<typeof applyFlags>[1]): MailboxIndex {
  const index = new MailboxIndex()
  index.adopt(applyFlags(index, messages).dirtyChunks)
  return index
}

const namesOf = (index: MailboxIndex, uid: number) => splitNames(index.flagsOf(uid) ?? [])
const entry = (label: string) => labelEntry(label) ?? ''

test('applyFlags: labels and flags of one name are separate', () => {
  const index = indexOf([
    { uid: 1, flags: ['Work', '\\Draft'], labels: ['\\Draft', 'Home'] },
    { uid: 2, flags: [], labels: ['Work'] },
  ])
  expect(namesOf(index, 1)).toEqual({ flags: ['Work', '\\Draft'], labels: ['Home', '\\Draft'] })
  expect(namesOf(index, 2)).toEqual({ flags: [], labels: ['Work'] })
})

test('applyFlags: keeps labels without a report, clears them with an empty one', () => {
  const index = indexOf([{ uid: 1, flags: ['\\Seen'], labels: ['Work'] }])
  expect(applyFlags(index, [{ uid: 1, flags: [] }]).changed).toEqual([
    { uid: 1, added: [], removed: ['\\Seen'], value: [entry('Work')] },
  ])
  expect(applyFlags(index, [{ uid: 1, flags: ['\\Seen'], labels: [] }]).changed).toEqual([
    { uid: 1, added: [], removed: [entry('Work')], value: ['\\Seen'] },
  ])
})

test('compare: labels like flags', () => {
  const index = indexOf([{ uid: 1, flags: ['\\Seen'], labels: ['Work', 'Home'] }])
  const flags = new Map([
    [entry('Work'), []],
    [entry('\\Inbox'), [[1, 1] as const]],
  ])
  expect(compare(index, { uids: [[1, 1]], flags }).changed).toEqual([
    {
      uid: 1,
      added: [entry('\\Inbox')],
      removed: [entry('Work')],
      value: [entry('Home'), entry('\\Inbox'), '\\Seen'],
    },
  ])
})

test('canonicalFlag: undefined for a flag like a label entry', () => {
  const index = indexOf([{ uid: 1, flags: [entry('Work'), 'ok'] }])
  expect(namesOf(index, 1)).toEqual({ flags: ['ok'], labels: [] })
})

test('MailboxIndex.trackedNames: separate limits of labels and keywords', () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => `k${at}`)
  const index = indexOf([
    { uid: 1, flags: many(maxKeywords + 9), labels: ['', 'x'.repeat(600), ...many(maxLabels + 9)] },
  ])
  const { flags, labels } = namesOf(index, 1)
  expect([flags.length, labels.length]).toEqual([maxKeywords, maxLabels])
  const again = index.trackedNames([entry('other'), entry('k1'), 'other', '\\Seen'])
  expect(again).toEqual(new Set([entry('k1'), '\\Seen']))
})
