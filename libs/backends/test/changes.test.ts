import { expect, test } from '@jest/globals'
import type { Hook } from '@posthorn/testkit'
import type { MailboxChange, MailSession } from '../src/mail-session.ts'
import { session, start, backend } from './scripted-session.ts'

const capable: Hook = () => ['* CAPABILITY IMAP4rev1 ENABLE CONDSTORE QRESYNC', '{tag} OK done']
const granted: Hook = () => ['* ENABLED CONDSTORE QRESYNC', '{tag} OK done']
const selected: Hook = () => [
  '* 3 EXISTS',
  '* FLAGS (\\Seen)',
  '* OK [UIDVALIDITY 7] ok',
  '* OK [UIDNEXT 4] ok',
  '* OK [HIGHESTMODSEQ 90071992547409931] ok',
  '{tag} OK done',
]
const qresync = { CAPABILITY: capable, ENABLE: granted, SELECT: selected }

function changes(session: MailSession, modseq = 5n): Promise<MailboxChange[]> {
  return Array.fromAsync(session.changesSince(modseq))
}

test('changesSince: with QRESYNC, requests flags and deletions in one FETCH', async () => {
  const one = await session({
    ...qresync,
    'UID FETCH': () => [
      '* VANISHED (EARLIER) 41,43:116,300',
      '* 1 FETCH (UID 2 FLAGS (\\Seen) MODSEQ (90071992547409932))',
      '{tag} OK done',
    ],
  })
  expect(one.capabilities).toMatchObject({ condstore: true, qresync: true })
  expect(await changes(one)).toEqual([
    {
      kind: 'vanished',
      uids: [
        [41, 41],
        [43, 116],
        [300, 300],
      ],
    },
    { kind: 'flags', uid: 2, flags: ['\\Seen'], modseq: 90_071_992_547_409_932n },
  ])
  expect(one.received).toContain('UID FETCH 1:* (UID FLAGS MODSEQ) (CHANGEDSINCE 5 VANISHED)')
})

test('changesSince: billions of UIDs, repeated, stay one range', async () => {
  const one = await session({
    ...qresync,
    'UID FETCH': () => [
      ...Array.from({ length: 2_000 }, () => '* VANISHED (EARLIER) 1:4294967295'),
      '* VANISHED (EARLIER) 9:5',
      '{tag} OK done',
    ],
    // VANISHED and EXISTS arrive unsolicited, and VANISHED names more messages than the mailbox
    // has.
    NOOP: () => ['* VANISHED 1:4294967295', '* 0 EXISTS', '{tag} OK done'],
  })
  expect(await changes(one)).toEqual([{ kind: 'vanished', uids: [[1, 4_294_967_295]] }])
  await one.ping()
})

test.each([
  ['* VANISHED'],
  ['* VANISHED (EARLIER)'],
  ['* VANISHED (EARLIER) x'],
  ['* VANISHED (EARLIER) 0'],
  ['* VANISHED (EARLIER) 1:99999999999'],
])('changesSince: %j, is ignored', async (line) => {
  const one = await session({ ...qresync, 'UID FETCH': () => [line, '{tag} OK done'] })
  expect(await changes(one)).toEqual([])
})

test('changesSince: without QRESYNC, requests flags only', async () => {
  const one = await session({
    ...qresync,
    ENABLE: () => ['* ENABLED CONDSTORE', '{tag} OK done'],
    'UID FETCH': () => ['* 1 FETCH (UID 2 FLAGS () MODSEQ (6))', '{tag} OK done'],
  })
  expect(one.capabilities).toMatchObject({ condstore: true, qresync: false })
  expect(await changes(one)).toEqual([{ kind: 'flags', uid: 2, flags: [], modseq: 6n }])
  expect(one.received).toContain('UID FETCH 1:* (UID FLAGS MODSEQ) (CHANGEDSINCE 5)')
})

test.each([
  ['not enabled', { ...qresync, ENABLE: () => ['{tag} OK done'] }],
  ['rejected', { ...qresync, ENABLE: () => ['{tag} BAD what?'] }],
  [
    'unavailable in this mailbox',
    {
      ...qresync,
      SELECT: () => [
        '* 3 EXISTS',
        '* OK [UIDVALIDITY 7] ok',
        '* OK [NOMODSEQ] none',
        '{tag} OK done',
      ],
    },
  ],
])('changesSince: CONDSTORE %s, is unprocessable', async (_, replies) => {
  const one = await session(replies)
  await expect(changes(one)).rejects.toMatchObject({
    kind: 'unprocessable',
    code: 'MissingServerExtension',
  })
  expect(one.received.some((line) => line.startsWith('UID FETCH'))).toBe(false)
})

test.each([
  ['-1', undefined],
  ['9.3736e+06', undefined],
  ['0', undefined],
  ['9223372036854775807', 9_223_372_036_854_775_807n],
])('MailSession.select: HIGHESTMODSEQ %s, is read as %s', async (written, read) => {
  const { options } = await start({
    ...qresync,
    SELECT: () => [
      '* 3 EXISTS',
      '* OK [UIDVALIDITY 7] ok',
      `* OK [HIGHESTMODSEQ ${written}] ok`,
      '{tag} OK done',
    ],
  })
  await using one = await backend.connect(options)
  expect((await one.select('INBOX')).highestModseq).toBe(read)
})
