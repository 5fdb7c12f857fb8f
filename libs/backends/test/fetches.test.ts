import { expect, test } from '@jest/globals'
import type { Hook } from '@posthorn/testkit'
import type { MailboxNotification } from '../src/mail-session.ts'
import { session } from './scripted-session.ts'

const done = '{tag} OK done'
const withoutAddresses = '(NIL "hello" NIL NIL NIL NIL NIL NIL NIL "<1@x>")'
const structure = 'BODYSTRUCTURE ("text" "plain" NIL NIL NIL "7bit" 3 1)'
const gmail: Hook = () => ['* CAPABILITY IMAP4rev1 X-GM-EXT-1', done]
const objectId: Hook = () => ['* CAPABILITY IMAP4rev1 OBJECTID', done]

function row(uid: number, more = ''): string {
  return `* ${uid} FETCH (UID ${uid} FLAGS () INTERNALDATE " 1-Jan-2024 00:00:00 +0000" RFC822.SIZE 9 ENVELOPE (NIL "s${uid}" (("a" NIL "a" "x.test")) NIL NIL NIL NIL NIL NIL NIL) ${structure}${more})`
}

test('fetchMessages: Gmail, returns labels, message ids and thread ids', async () => {
  const one = await session({
    CAPABILITY: gmail,
    'UID FETCH': () => [
      row(
        1,
        ' X-GM-MSGID 1278455344230334865 X-GM-THRID 1266894439832287888 X-GM-LABELS (\\Inbox "Entw&APw-rfe" {4}\r\nFour)',
      ),
      row(2, ' X-GM-MSGID 18446744073709551615 X-GM-THRID NIL X-GM-LABELS ()'),
      done,
    ],
  })
  expect(one.capabilities).toMatchObject({ gmail: true, objectId: false })
  const messages = await Array.fromAsync(one.fetchMessages([[1, 2]]))
  expect(messages[0]).toMatchObject({
    emailId: '1278455344230334865',
    threadId: '1266894439832287888',
    labels: ['\\Inbox', 'Entwürfe', 'Four'],
  })
  expect(messages[1]).toMatchObject({ emailId: '18446744073709551615', labels: [] })
  expect(messages[1]).not.toHaveProperty('threadId')
  expect(one.received.find((line) => line.startsWith('UID FETCH'))).toMatch(
    /X-GM-MSGID X-GM-THRID X-GM-LABELS/,
  )
})

test('fetchMessages: OBJECTID, returns ids, and requests no labels from other servers', async () => {
  const one = await session({
    CAPABILITY: objectId,
    'UID FETCH': () => [
      row(1, ' EMAILID (M1) THREADID (T1)'),
      row(2, ' EMAILID (M2) THREADID NIL'),
      done,
    ],
  })
  const messages = await Array.fromAsync(one.fetchMessages([[1, 2]]))
  expect(messages.map(({ emailId, threadId, labels }) => [emailId, threadId, labels])).toEqual([
    ['M1', 'T1', undefined],
    ['M2', undefined, undefined],
  ])
  expect(one.received.join('\n')).not.toContain('X-GM')
})

test('fetchMessages: envelope without addresses, takes them from the header', async () => {
  const header = [
    'From: =?UTF-8?Q?J=C3=BCrgen?= <j@x.test>',
    'To: "A, B" <ab@x.test>, c@x.test',
    'Cc: d@x.test',
    'Reply-To: answers@x.test',
    '',
    '',
  ].join('\r\n')
  const one = await session({
    'UID FETCH': ({ rest }) =>
      rest.includes('ENVELOPE')
        ? [
            row(1),
            `* 2 FETCH (UID 2 FLAGS () RFC822.SIZE 9 ENVELOPE ${withoutAddresses} ${structure})`,
            `* 3 FETCH (UID 3 FLAGS () RFC822.SIZE 9 ENVELOPE ${withoutAddresses} ${structure})`,
            done,
          ]
        : [
            `* 2 FETCH (UID 2 RFC822.SIZE 9 BODY[HEADER]<0> {${Buffer.byteLength(header)}}\r\n${header})`,
            '* 3 FETCH (UID 3 RFC822.SIZE 9 BODY[HEADER]<0> "")',
            done,
          ],
  })
  const [first, second, third] = await Array.fromAsync(one.fetchMessages([[1, 3]]))
  expect(first?.envelope.from).toEqual([{ name: 'a', address: 'a@x.test' }])
  expect(second?.envelope).toMatchObject({
    subject: 'hello',
    messageId: '<1@x>',
    from: [{ name: 'Jürgen', address: 'j@x.test' }],
    replyTo: [{ address: 'answers@x.test' }],
    to: [{ name: 'A, B', address: 'ab@x.test' }, { address: 'c@x.test' }],
    cc: [{ address: 'd@x.test' }],
  })
  expect(third?.envelope).toMatchObject({ subject: 'hello', from: [], to: [] })
  const fetches = one.received.filter((line) => line.startsWith('UID FETCH'))
  expect(fetches).toHaveLength(2)
  expect(fetches[1]).toMatch(/^UID FETCH 2:3 \(UID RFC822.SIZE BODY.PEEK\[HEADER\]<0.32768>\)$/)
})

test('fetchMessages: responses for other messages, are notified to watch', async () => {
  const one = await session({
    'UID FETCH': () => [
      '* 3 FETCH (UID 3 FLAGS (\\Seen))',
      row(1),
      '* 1 FETCH (UID 1 FLAGS (\\Flagged))',
      // Response of an IMAP server to a FETCH of the UIDs N:* without a message from N on.
      row(9),
      done,
    ],
  })
  const messages = await Array.fromAsync(one.fetchMessages([[1, 2]]))
  expect(messages.map(({ uid, flags }) => [uid, flags])).toEqual([[1, ['\\Flagged']]])
  const notifications: MailboxNotification[] = []
  await one.watch((notification) => notifications.push(notification), AbortSignal.abort())
  expect(notifications).toEqual(
    expect.arrayContaining([
      { kind: 'flags', uid: 3, flags: ['\\Seen'] },
      { kind: 'flags', uid: 1, flags: ['\\Flagged'] },
    ]),
  )
})

test('fetchMessages: 1 unreadable message in 500, omits only that one', async () => {
  const poisoned = 137
  let commands = 0
  const one = await session({
    SELECT: () => ['* 500 EXISTS', '* OK [UIDVALIDITY 7] ok', done],
    'UID FETCH': ({ rest }) => {
      commands++
      const ranges = (rest.split(' ')[0] ?? '')
        .split(',')
        .map((range) => range.split(':').map(Number))
      const uids = ranges.flatMap(([first = 0, last = first]) =>
        Array.from({ length: last - first + 1 }, (_, at) => first + at),
      )
      return uids.includes(poisoned)
        ? ['{tag} NO [CORRUPTION] Server error']
        : [...uids.map((uid) => row(uid)), done]
    },
  })
  const messages = await Array.fromAsync(one.fetchMessages([[1, 500]]))
  expect(messages).toHaveLength(499)
  expect(messages.some(({ uid }) => uid === poisoned)).toBe(false)
  expect(commands).toBeLessThan(30)
})

test('arrivalTimes: returns them by UID in one FETCH, also unreadable times', async () => {
  const one = await session({
    'UID FETCH': () => [
      '* 2 FETCH (UID 7 RFC822.SIZE 9 INTERNALDATE "02-Jan-2024 00:00:00 +0100")',
      '* 1 FETCH (UID 3 RFC822.SIZE 9 INTERNALDATE "false")',
      done,
    ],
  })
  const times = await one.arrivalTimes([[1, 9]])
  expect(times.map(({ uid, internalDate }) => [uid, internalDate.getTime()])).toEqual([
    [3, NaN],
    [7, Date.UTC(2024, 0, 1, 23)],
  ])
  const fetches = one.received.filter((line) => line.startsWith('UID FETCH'))
  expect(fetches).toEqual([expect.stringMatching(/^UID FETCH 1:9 \((?!.*(ENVELOPE|BODY))/)])
})

test('readPartsOfAll: one FETCH for all messages of the same form', async () => {
  const fetched: string[] = []
  const one = await session({
    'UID FETCH': ({ rest }) => {
      fetched.push(rest)
      if (rest.startsWith('5 ')) return ['{tag} NO cannot be read']
      const uids = rest.startsWith('1:2') ? [1, 2] : [3]
      const part = uids.length > 1 ? '1' : '2'
      return [
        ...uids.map(
          (uid) => `* ${uid} FETCH (UID ${uid} RFC822.SIZE 9 BODY[${part}]<0> {2}\r\nt${uid})`,
        ),
        done,
      ]
    },
  })
  const part = (number: string) => ({ part: number, type: 'text/plain', encoding: '7bit', size: 2 })
  const form = { type: 'multipart/mixed', childNodes: [part('1'), part('2')] }
  const request = (uid: number, number: string, maxBytes = 10) => ({
    uid,
    structure: form,
    wanted: [{ part: number, maxBytes }],
  })
  const parts = await one.readPartsOfAll([
    request(1, '1'),
    request(3, '2'),
    request(2, '1'),
    request(5, '1', 20),
    { ...request(6, '1'), wanted: [] },
  ])
  const texts = parts.map(
    (each) => each && [...each].map(([number, bytes]) => [number, bytes.toString()]),
  )
  expect(texts).toEqual([[['1', 't1']], [['2', 't3']], [['1', 't2']], undefined, []])
  expect(fetched).toHaveLength(3)
})
