import { expect, test } from '@jest/globals'
import type { AppError } from '@posthorn/errors'
import { eventually, type Hook } from '@posthorn/testkit'
import type { MailboxNotification } from '../src/mail-session.ts'
import { createImapBackend } from '../src/imap/backend.ts'
import { defaultTimings } from '../src/imap/watch.ts'
import { backend, shortTimeoutBackend, session, start } from './scripted-session.ts'

const esearch: Hook = () => ['* CAPABILITY IMAP4rev1 ESEARCH', '{tag} OK done']
const idle: Hook = () => ['* CAPABILITY IMAP4rev1 IDLE', '{tag} OK done']

function row(uid: number): string {
  return `* ${uid} FETCH (UID ${uid} FLAGS () INTERNALDATE " 1-Jan-2024 00:00:00 +0000" RFC822.SIZE 9 ENVELOPE (NIL "s${uid}" NIL NIL NIL NIL NIL NIL NIL NIL) BODYSTRUCTURE ("text" "plain" NIL NIL NIL "7bit" 3 1))`
}

/** UIDs up to 3 in the sequence set of an IMAP command. */
function requestedUids(rest: string): number[] {
  const pieces = (rest.split(' ')[0] ?? '').split(',').map((piece) => piece.split(':').map(Number))
  return [1, 2, 3].filter((uid) =>
    pieces.some(([first = 0, last = first]) => uid >= first && uid <= last),
  )
}

test.each([
  'SSH-2.0-OpenSSH_9.6',
  '220 db.internal ready',
  'x\u0000y (z {3}',
  '-ERR unknown command',
])(
  'ImapBackend.connect: greeting %j of another service, is not part of the error',
  async (greeting) => {
    const { options } = await start({}, greeting)
    const connecting = backend.connect({ ...options, connectTimeoutMs: 1_000 })
    const error = await connecting.then(String, ({ message, extras }: AppError) =>
      JSON.stringify([message, extras]),
    )
    expect(error).toContain('mail server')
    for (const word of greeting.split(/[^\w.-]+/).filter((each) => each.length > 2))
      expect(error).not.toContain(word)
  },
)

test('listMailboxes: server without SPECIAL-USE, detects it from names', async () => {
  const names = ['INBOX', 'Gesendet', 'Papierkorb', 'Entw&APw-rfe', 'Rechnungen']
  const one = await session({
    LIST: ({ rest }) =>
      rest === '"" ""'
        ? ['* LIST (\\Noselect) "/" ""', '{tag} OK done']
        : [
            ...names.map((name) => `* LIST () "/" ${name}`),
            '* LIST (\\NonExistent) "/" Sent',
            '{tag} OK done',
          ],
  })
  const listed = await one.listMailboxes()
  const uses = new Map(
    listed.map(({ path, specialUse, specialUseSource }) => [path, [specialUse, specialUseSource]]),
  )
  expect(uses.get('Gesendet')).toEqual(['\\Sent', 'name'])
  expect(uses.get('Papierkorb')).toEqual(['\\Trash', 'name'])
  expect(uses.get('Entwürfe')).toEqual(['\\Drafts', 'name'])
  expect(uses.get('Rechnungen')).toEqual([undefined, undefined])
  expect(uses.has('Sent')).toBe(false)
})

test('listMailboxes: empty list, is unreachable', async () => {
  const one = await session({ LIST: () => ['{tag} OK done'] })
  await expect(one.listMailboxes()).rejects.toMatchObject({ kind: 'unreachable' })
})

test('listMailboxes: invalid lines, are ignored', async () => {
  const junk = [
    '* )( {}{ "',
    '* SEARCH 4 x 0 2',
    '* 99999999999999999999 EXISTS',
    'ZZZ OK whose?',
    '* OK [NIL]',
    '',
  ]
  const one = await session({ 'UID SEARCH': () => [...junk, '{tag} OK done'] })
  expect(await one.searchUids({ all: true })).toEqual([
    [2, 2],
    [4, 4],
  ])
})

test('searchUids: without ESEARCH, merges unordered and repeated SEARCH lines', async () => {
  const one = await session({
    'UID SEARCH': () => ['* SEARCH 9 3 4', '* SEARCH 5 9', '* SEARCH', '{tag} OK done'],
  })
  expect(one.capabilities.esearch).toBe(false)
  expect(await one.searchUids({ all: true })).toEqual([
    [3, 5],
    [9, 9],
  ])
  expect(one.received).toContain('UID SEARCH ALL')
})

test('searchUids: ESEARCH, returns ranges without expanding them', async () => {
  const one = await session({
    CAPABILITY: esearch,
    'UID SEARCH': () => [
      '* ESEARCH (TAG "x") UID COUNT 100001 ALL 1:100000,200000',
      '{tag} OK done',
    ],
  })
  expect(await one.searchUids({ flag: '\\Seen' })).toEqual([
    [1, 100_000],
    [200_000, 200_000],
  ])
  expect(one.received).toContain('UID SEARCH RETURN (ALL COUNT) SEEN')
})

test.each([
  ['a plain SEARCH response', '* SEARCH 1 2'],
  ['no response', '* OK nothing to say'],
  ['a count without UIDs', '* ESEARCH (TAG "x") UID COUNT 2'],
  ['fewer UIDs than its count', '* ESEARCH (TAG "x") UID COUNT 2 ALL 1'],
])('searchUids: ESEARCH with %s, falls back to SEARCH', async (_, line) => {
  const one = await session({
    CAPABILITY: esearch,
    'UID SEARCH': ({ rest }) => [
      rest.startsWith('RETURN') ? line : '* SEARCH 1 2',
      '{tag} OK done',
    ],
  })
  expect(await one.searchUids({ all: true })).toEqual([[1, 2]])
  expect(await one.searchUids({ all: true })).toEqual([[1, 2]])
  expect(one.received.filter((line) => line.startsWith('UID SEARCH RETURN'))).toHaveLength(1)
})

test('searchUids: rejected, has the code and text of the server', async () => {
  const one = await session({ 'UID SEARCH': () => ['{tag} NO [CANNOT] not today'] })
  await expect(one.searchUids({ all: true })).rejects.toMatchObject({
    kind: 'rejected',
    code: 'CANNOT',
    extras: { info: { response: 'not today' } },
  })
})

test.each([['* OK no uidvalidity'], ['* OK [UIDVALIDITY 0] zero'], ['* OK [UIDVALIDITY x] text']])(
  'MailSession.select: %j, is unreachable',
  async (line) => {
    const { options } = await start({ SELECT: () => ['* 3 EXISTS', line, '{tag} OK done'] })
    await using one = await backend.connect(options)
    await expect(one.select('INBOX')).rejects.toMatchObject({
      kind: 'unreachable',
      code: 'NoUidValidity',
    })
  },
)

test('fetchMessages: message that the server cannot read, returns the others', async () => {
  const one = await session({
    'UID FETCH': ({ rest }) =>
      requestedUids(rest).includes(2) && rest.includes('ENVELOPE')
        ? ['{tag} NO [SERVERBUG] Server error']
        : [
            ...requestedUids(rest).map((uid) =>
              uid === 2 ? '* 2 FETCH (UID 2 FLAGS (\\Seen) RFC822.SIZE 5)' : row(uid),
            ),
            '{tag} OK done',
          ],
  })
  const messages = await Array.fromAsync(one.fetchMessages([[1, 3]]))
  expect(
    messages.map(({ uid, envelope, incomplete = false }) => [uid, envelope.subject, incomplete]),
  ).toEqual([
    [1, 's1', false],
    [2, undefined, true],
    [3, 's3', false],
  ])
})

test('fetchMessages: server that rejects everything, sends a limited number of commands', async () => {
  const one = await session({ 'UID FETCH': () => ['{tag} NO [SERVERBUG] Server error'] })
  await expect(Array.fromAsync(one.fetchMessages([[1, 500]]))).rejects.toMatchObject({
    kind: 'unreachable',
    code: 'SERVERBUG',
  })
  expect(one.received.filter((line) => line.startsWith('UID FETCH')).length).toBeLessThan(50)
})

test('fetchMessages: unreadable BODYSTRUCTURE, marks only its message as incomplete', async () => {
  const broken = row(2).replace(/BODYSTRUCTURE .*/, 'BODYSTRUCTURE (("text"')
  const one = await session({
    'UID FETCH': ({ rest }) => [
      ...requestedUids(rest).map((uid) =>
        uid === 2
          ? rest.includes('BODYSTRUCTURE')
            ? broken
            : '* 2 FETCH (UID 2 FLAGS () RFC822.SIZE 5)'
          : row(uid),
      ),
      '* 1 FETCH (FLAGS (\\Seen))',
      '{tag} OK done',
    ],
  })
  const messages = await Array.fromAsync(one.fetchMessages([[1, 3]]))
  expect(messages.map(({ uid, incomplete = false }) => [uid, incomplete])).toEqual([
    [1, false],
    [2, true],
    [3, false],
  ])
})

test('downloadSource: connection lost within a literal, is unreachable and ends the session', async () => {
  const one = await session({
    'UID FETCH': () => ({
      raw: '* 1 FETCH (UID 1 RFC822.SIZE 5000 BODY[]<0> {5000}\r\nSubject: half',
      then: 'close',
    }),
  })
  await expect(one.downloadSource(1)).rejects.toMatchObject({
    kind: 'unreachable',
    code: 'ECONNRESET',
  })
  expect(await one.closed).toMatchObject({ kind: 'unreachable' })
})

test('downloadSource: server that ignores ranges, returns the whole message', async () => {
  const whole = 'x'.repeat(300_000)
  const one = await session({
    'UID FETCH': () => [
      `* 1 FETCH (UID 1 RFC822.SIZE 300000 BODY[] {${whole.length}}`,
      `${whole})`,
      '{tag} OK done',
    ],
  })
  const pieces = await Array.fromAsync((await one.downloadSource(1)).content)
  expect(Buffer.concat(pieces).toString()).toBe(whole)
  expect(one.received.filter((line) => line.startsWith('UID FETCH'))).toHaveLength(1)
})

test('downloadSource: server that ignores ranges, message as long as the first chunk, returns it once', async () => {
  const whole = 'x'.repeat(131_072)
  const one = await session({
    'UID FETCH': () => [
      `* 1 FETCH (UID 1 RFC822.SIZE 131072 BODY[] {${whole.length}}`,
      `${whole})`,
      '{tag} OK done',
    ],
  })
  const pieces = await Array.fromAsync((await one.downloadSource(1)).content)
  expect(Buffer.concat(pieces).toString()).toBe(whole)
})

test('downloadSource: message expunged between two chunks, fails instead of ending early', async () => {
  const chunk = 'x'.repeat(131_072)
  const one = await session({
    'UID FETCH': ({ rest }) =>
      rest.includes('<0.')
        ? [
            `* 1 FETCH (UID 1 RFC822.SIZE 300000 BODY[]<0> {${chunk.length}}`,
            `${chunk})`,
            '{tag} OK done',
          ]
        : ['* 1 FETCH (UID 1 FLAGS () RFC822.SIZE 300000)', '{tag} OK done'],
  })
  const { content } = await one.downloadSource(1)
  await expect(Array.fromAsync(content)).rejects.toMatchObject({ kind: 'unreachable' })
})

test('downloadSource: message longer than its reported size, is returned whole', async () => {
  const rest = 'y'.repeat(1_000)
  const one = await session({
    'UID FETCH': (command) =>
      command.rest.includes('<0.')
        ? [
            `* 1 FETCH (UID 1 RFC822.SIZE 9 BODY[]<0> {131072}`,
            `${'x'.repeat(131_072)})`,
            '{tag} OK done',
          ]
        : [
            `* 1 FETCH (UID 1 RFC822.SIZE 9 BODY[]<131072> {${rest.length}}`,
            `${rest})`,
            '{tag} OK done',
          ],
  })
  const pieces = await Array.fromAsync((await one.downloadSource(1)).content)
  expect(Buffer.concat(pieces).length).toBe(132_072)
})

test('ImapConnection: endless line, closes the connection within bounded memory', async () => {
  const one = await session({
    'UID SEARCH': (command) => {
      command.session.write('* SEARCH')
      command.session.flood(' 1'.repeat(32_768))
      return undefined
    },
  })
  const { rss } = process.memoryUsage()
  await expect(one.searchUids({ all: true })).rejects.toMatchObject({
    kind: 'unreachable',
    code: 'LineTooLarge',
  })
  expect(process.memoryUsage().rss - rss).toBeLessThan(128 * 2 ** 20)
})

test('ImapConnection: literal of 4 GB, closes the connection immediately', async () => {
  const one = await session({
    'UID FETCH': () => ['* 1 FETCH (UID 1 BODY[]<0> {4294967295}'],
  })
  await expect(one.downloadSource(1)).rejects.toMatchObject({
    kind: 'unreachable',
    code: 'LiteralTooLarge',
  })
})

test('MailSession.watch: server without IDLE, polls with NOOP', async () => {
  let arrived = false
  const one = await session({ NOOP: () => [...(arrived ? ['* 4 EXISTS'] : []), '{tag} OK done'] })
  const notifications: MailboxNotification[] = []
  const abort = new AbortController()
  const watching = one.watch((notification) => notifications.push(notification), abort.signal)
  arrived = true
  await eventually(() => expect(notifications).toEqual([{ kind: 'exists', messages: 4 }]))
  abort.abort()
  await watching
  expect(one.received).not.toContain('IDLE')
})

test('MailSession.watch: IDLE advertised but rejected, polls with NOOP', async () => {
  const one = await session({ CAPABILITY: idle, IDLE: () => ['{tag} BAD no such thing'] })
  const abort = new AbortController()
  const watching = one.watch(() => {}, abort.signal)
  await eventually(() =>
    expect(one.received.filter((line) => line === 'NOOP').length).toBeGreaterThan(2),
  )
  abort.abort()
  await watching
  expect(one.received.filter((line) => line === 'IDLE')).toHaveLength(1)
})

test('MailSession.watch: silent IDLE, sends NOOP and starts IDLE again', async () => {
  let tag = ''
  const one = await session({
    CAPABILITY: idle,
    IDLE: (command) => {
      tag = command.tag
      return ['+ idling']
    },
    '': () => [`${tag} OK done`],
  })
  const abort = new AbortController()
  const watching = one.watch(() => {}, abort.signal)
  await eventually(() =>
    expect(one.received.filter((line) => line === 'IDLE').length).toBeGreaterThan(1),
  )
  abort.abort()
  await watching
  const talk = one.received.filter((line) => ['IDLE', 'DONE', 'NOOP'].includes(line))
  expect(talk.slice(0, 4)).toEqual(['IDLE', 'DONE', 'NOOP', 'IDLE'])
  expect(talk.at(-1)).toBe('NOOP')
})

test('MailSession.watch: IDLE never confirmed, closes the connection', async () => {
  const one = await session({ CAPABILITY: idle, IDLE: () => undefined }, shortTimeoutBackend)
  await expect(one.watch(() => {}, new AbortController().signal)).rejects.toMatchObject({
    kind: 'unreachable',
    code: 'ETIMEDOUT',
  })
})

test('MailSession.watch: BYE, rejects with its text', async () => {
  const one = await session({
    CAPABILITY: idle,
    IDLE: () => ['+ idling', '* BYE Session expired, please login again'],
  })
  await expect(one.watch(() => {}, new AbortController().signal)).rejects.toMatchObject({
    kind: 'unreachable',
    code: 'BYE',
    extras: { info: { response: 'Session expired, please login again' } },
  })
})

test('ImapConnection: unused session, is kept alive with NOOP', async () => {
  const { options, received } = await start()
  await using _session = await createImapBackend({ ...defaultTimings, keepAliveMs: 10 }).connect(
    options,
  )
  await eventually(() =>
    expect(received.filter((line) => line === 'NOOP').length).toBeGreaterThan(2),
  )
})
