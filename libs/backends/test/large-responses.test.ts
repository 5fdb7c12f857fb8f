import { afterAll, expect, test } from '@jest/globals'
import { type Hook, imapFaults, type ImapScript, testDovecot } from '@posthorn/testkit'
import { backend, inbox, letter, start } from './faults/fault-setup.ts'
import { quietLogger } from './quiet-logger.ts'

// Tests of messages with a large FETCH response, and of messages that the IMAP server refuses to
// describe.

const { adds, times } = imapFaults
const dovecot = await testDovecot()
afterAll(() => dovecot.drop())

const message = (header: string, body = 'hello\r\n') =>
  `From: jane@mail.test\r\nSubject: large\r\nMessage-ID: <1@mail.test>\r\n${header}\r\n\r\n${body}`
const list = (field: string, entry: string, count: number) =>
  `${field}: ${Array.from({ length: count }, () => entry).join(',\r\n ')}`
const multipart = (count: number) =>
  message(
    'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b',
    '--b\r\n\r\n'.repeat(count),
  )

const plain = 'MIME-Version: 1.0\r\nContent-Type: text/plain'

// Jest passes a callback to the test instead of a member that is missing in the table row.
const large: [name: string, message: string, truncated: 'envelope' | 'structure' | undefined][] = [
  ['50,000 recipients', message(list('To', 'a', 50_000)), 'envelope'],
  ['63 kB of empty groups', message(list('To', ':;', 13_000)), 'envelope'],
  ['10,000 parts', multipart(10_000), 'structure'],
  [
    '100,000 languages',
    message(`${plain}\r\nContent-Language: en${',en'.repeat(170_000)}`),
    'structure',
  ],
  ['100,000 levels of comments', message(`To: ${'('.repeat(100_000)}x`), undefined],
  ['20,000 parameters', message(`${plain}${';\r\n a=b'.repeat(20_000)}`), undefined],
  ['subject of 1 MB', message(`X: y`).replace('large', `large${' x'.repeat(500_000)}`), 'envelope'],
]

test.each(large)(
  'fetchMessages: %s in Dovecot, read beside other messages',
  async (_, content, truncated) => {
    const { user, pass, host, imapPort } = dovecot.freshUser('large')
    for (const each of [letter('first'), content, letter('last')]) await dovecot.deliver(user, each)
    const options = { host, port: imapPort, secure: false, credentials: { user, pass } }
    await using session = await backend.connect({
      ...options,
      rejectUnauthorized: false,
      allowsPlaintext: true,
      log: quietLogger(),
    })
    await session.select('INBOX')
    const messages = await Array.fromAsync(session.fetchMessages([[1, 3]], { headers: true }))
    expect(messages.map(({ uid, incomplete }) => [uid, incomplete])).toEqual([
      [1, undefined],
      [2, undefined],
      [3, undefined],
    ])
    expect(messages.map(({ envelope }) => envelope.subject?.slice(0, 5))).toEqual([
      'first',
      'large',
      'last',
    ])
    expect(messages[1]?.truncated).toEqual(truncated && [truncated])
    expect(messages[1]?.envelope.from).toHaveLength(1)
    expect(messages[1]?.envelope.to.length).toBeLessThanOrEqual(2_000)
    expect((await session.fetchBySequence(1, 3)).map(({ uid }) => uid)).toEqual([1, 2, 3])
    await session.ping()
  },
)

/**
 * Script hook that refuses FETCH of the envelope, header or any item for the messages with these
 * UIDs.
 */
function refuses(uids: readonly number[], items: RegExp): Hook {
  return async (command) => {
    if (!items.test(command.rest)) return undefined
    const lines = await command.defaultReply()
    const isRefused = lines.some((line) => uids.includes(Number(/\bUID (\d+)/.exec(line)?.[1])))
    return isRefused ? ['{tag} NO [SERVERBUG] Internal error'] : lines
  }
}

function fullFetches(server: ImapScript): number {
  return server.received.filter((line) => /FETCH.*ENVELOPE/.test(line)).length
}

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1)
const every4th = upTo(50).filter((uid) => uid % 4 === 0)

test('fetchMessages: 12 of 50 messages refused, are described by flags, size and header', async () => {
  const server = await start(50)
  const session = await inbox(server)
  server.on('FETCH', refuses(every4th, /ENVELOPE/))
  const messages = await Array.fromAsync(session.fetchMessages([[1, 50]], { headers: true }))
  expect(messages.map(({ uid }) => uid)).toEqual(upTo(50))
  for (const { uid, incomplete = false, headers, size, envelope } of messages) {
    expect([uid, incomplete]).toEqual([uid, every4th.includes(uid)])
    expect(envelope.subject).toBe(incomplete ? undefined : `m${uid}`)
    expect(headers?.toString()).toContain(`Subject: m${uid}`)
    expect(size).toBeGreaterThan(0)
  }
})

test('fetchMessages: refused messages, are requested by the bare query only from then on', async () => {
  const server = await start(50)
  const session = await inbox(server)
  server.on('FETCH', refuses(every4th, /ENVELOPE/))
  const read = async () => (await Array.fromAsync(session.fetchMessages([[1, 50]]))).length
  const list = async () => (await session.fetchBySequence(1, 50)).length
  expect(await read()).toBe(50)
  const before = fullFetches(server)
  expect(await read()).toBe(50)
  expect(await list()).toBe(50)
  expect(fullFetches(server) - before).toBe(2)
})

test.each([
  ['header', /ENVELOPE|HEADER/],
  ['envelope', /ENVELOPE/],
])('fetchMessages: %s of every message refused, all are described', async (_, items) => {
  const server = await start(120)
  const session = await inbox(server)
  server.on('FETCH', refuses(upTo(120), items))
  const messages = await Array.fromAsync(session.fetchMessages([[1, 120]], { headers: true }))
  expect(messages.map(({ uid, incomplete }) => [uid, incomplete])).toEqual(
    upTo(120).map((uid) => [uid, true]),
  )
})

test('fetchBySequence: 300 of 1,000 messages refused, lists all with a bounded number of commands', async () => {
  const server = await start(1_000)
  const session = await inbox(server)
  const refused = upTo(1_000).filter((uid) => uid % 3 === 0)
  server.on('FETCH', refuses(refused, /ENVELOPE/))
  expect((await session.fetchBySequence(1, 1_000)).map(({ uid }) => uid)).toEqual(upTo(1_000))
  expect(fullFetches(server)).toBeLessThan(1_200)
  expect((await session.fetchBySequence(1, 1_000)).map(({ uid }) => uid)).toEqual(upTo(1_000))
})

test('ImapConnection: header of 62 MB for 256 KiB, ends only this connection', async () => {
  const server = await start(3)
  const [attacked, other] = [await inbox(server), await inbox(server)]
  const off = server.on('FETCH', ({ rest }) =>
    rest.includes('HEADER')
      ? {
          raw: `* 1 FETCH (UID 1 RFC822.SIZE 9 BODY[HEADER]<0> {62000000}\r\n${'x'.repeat(100_000)}`,
        }
      : undefined,
  )
  const read = Array.fromAsync(attacked.fetchMessages([[1, 3]], { headers: true }))
  await expect(read).rejects.toMatchObject({ kind: 'unreachable', code: 'LiteralTooLarge' })
  expect(await attacked.closed).toMatchObject({ kind: 'unreachable', code: 'LiteralTooLarge' })
  off()
  expect((await Array.fromAsync(other.fetchMessages([[1, 3]]))).length).toBe(3)
})

test('ImapConnection: lines of 100,000 tokens, leave the connection usable', async () => {
  const server = await start(2)
  const session = await inbox(server)
  const words = ' ab'.repeat(100_000)
  server.on(
    'NOOP',
    times(1, adds(`* OK [CAPABILITY${words}] x`, `* FLAGS (${words})`, `* LIST (${words}) "/" x`)),
  )
  await session.ping()
  expect(await session.searchUids({ all: true })).toEqual([[1, 2]])
})

test('searchUids: ESEARCH of 100,000 ranges, is read', async () => {
  const server = await start(1)
  const session = await inbox(server)
  const uids = upTo(100_000).map((at) => 2 * at)
  server.on('SEARCH', ({ tag }) => [
    `* ESEARCH (TAG "${tag}") UID COUNT ${uids.length} ALL ${uids.join(',')}`,
    '{tag} OK done',
  ])
  expect(await session.searchUids({ all: true })).toHaveLength(100_000)
})
