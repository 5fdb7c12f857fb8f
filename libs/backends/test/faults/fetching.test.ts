import { expect, test } from '@jest/globals'
import { imapFaults } from '@posthorn/testkit'
import { distort, inbox, letter, start, uidsOf, inTime } from './fault-setup.ts'

const {
  adds,
  truncatesAfter,
  mapsLines: changes,
  failsOn,
  hides,
  omits,
  rejects,
  repeatsUids,
  sendsRaw,
  times,
} = imapFaults

test('fetchMessages: message omitted by the server, is requested again and otherwise missing', async () => {
  const server = await start(5)
  const session = await inbox(server)
  const off = server.on('FETCH', times(1, hides(3)))
  expect(await uidsOf(session.fetchMessages([[1, 5]]))).toEqual([1, 2, 3, 4, 5])
  off()
  server.on('FETCH', hides(3))
  expect(await uidsOf(session.fetchMessages([[1, 5]]))).toEqual([1, 2, 4, 5])
})

test.each([0, 'noop'] as const)(
  'fetchMessages: message that the connection has not seen, is complete (lag: %s)',
  async (lag) => {
    const server = await start(5, { lag })
    const session = await inbox(server)
    server.mailbox('INBOX').append(letter('m6'))
    const [message] = await Array.fromAsync(session.fetchMessages([[6, 6]], { headers: true }))
    expect(message).toMatchObject({
      uid: 6,
      envelope: { subject: 'm6', from: [{ address: 'jane@mail.test' }] },
      bodyStructure: { part: '1', type: 'text/plain' },
    })
    expect(message?.headers?.toString()).toContain('Subject: m6')
    expect(message).not.toHaveProperty('incomplete')
  },
)

test.each([2, 'select'] as const)(
  'fetchMessages: message not shown after NOOP, is missing (lag: %s)',
  async (lag) => {
    const server = await start(1, { lag })
    const session = await inbox(server)
    server.mailbox('INBOX').append(letter('m2'))
    const messages = await Array.fromAsync(session.fetchMessages([[1, 2]]))
    expect(messages.map(({ uid, incomplete }) => [uid, incomplete])).toEqual([[1, undefined]])
  },
)

test('fetchMessages: full description rejected, is incomplete beside messages seen late', async () => {
  const server = await start(3, { lag: 'noop' })
  const session = await inbox(server)
  server.on('FETCH', (command) =>
    command.rest.includes('ENVELOPE') ? failsOn(2)(command) : undefined,
  )
  server.mailbox('INBOX').append(letter('m4'))
  const messages = await Array.fromAsync(session.fetchMessages([[1, 4]]))
  expect(messages.map(({ uid, incomplete }) => [uid, incomplete])).toEqual([
    [1, undefined],
    [2, true],
    [3, undefined],
    [4, undefined],
  ])
})

test('fetchMessages: message that makes the server fail, omits only that one', async () => {
  const server = await start(40)
  const session = await inbox(server)
  server.on('FETCH', failsOn(17, 'NO UID FETCH Server error - Please try again later'))
  const uids = await uidsOf(session.fetchMessages([[1, 40]]))
  expect(uids).toEqual(expect.arrayContaining([1, 16, 18, 40]))
  expect(uids.length).toBeGreaterThanOrEqual(39)
})

test('fetchMessages: messages reported as deleted, are omitted', async () => {
  const server = await start(3)
  const session = await inbox(server)
  server.on(
    'FETCH',
    changes((lines) => [
      ...lines.slice(0, -1).filter((line) => !line.includes('UID 2')),
      '{tag} NO Some of the requested messages no longer exist.',
    ]),
  )
  expect(await uidsOf(session.fetchMessages([[1, 3]]))).toEqual([1, 3])
})

test('searchUids: N:* and duplicate UIDs, returns each new UID once', async () => {
  const server = await start(3)
  server.capabilities.delete('ESEARCH')
  const session = await inbox(server)
  expect(await session.searchUids({ from: 4 })).toEqual([])
  server.on('SEARCH', repeatsUids())
  expect(await session.searchUids({ all: true })).toEqual([[1, 3]])
})

test.each([
  ['cut short', '(("text" "plain"'],
  ['NIL', 'NIL'],
  ['empty', '()'],
  ['an empty multipart', '(() "mixed")'],
  ['a multipart without a subtype', '(("text" "plain" NIL NIL NIL "7bit" 1 1))'],
  ['without a subtype', '("text" NIL NIL NIL NIL NIL NIL)'],
  ['with text for numbers', '("text" "plain" NIL NIL NIL "7bit" "many" "x")'],
  ['message/rfc822 without content', '("message" "rfc822" NIL NIL NIL "7bit" 10)'],
  ['with nested quotes', '("text" "plain" ("name" "a "b" c") NIL NIL "7bit" 1 1)'],
  ['an atom', 'nonsense'],
  ['nested 1,000 levels', `${'('.repeat(1_000)}${')'.repeat(1_000)}`],
])('fetchMessages: BODYSTRUCTURE is %s, returns the other messages', async (_, structure) => {
  const server = await start(3)
  server.mailbox('INBOX').message(2).overrides.set('BODYSTRUCTURE', structure)
  const session = await inbox(server)
  const messages = await inTime(Array.fromAsync(session.fetchMessages([[1, 3]], { headers: true })))
  expect(messages.map(({ uid }) => uid)).toEqual([1, 2, 3])
  for (const message of messages) {
    expect(message.headers?.toString()).toContain(`Subject: m${message.uid}`)
    expect(message.bodyStructure.type).toEqual(expect.any(String))
  }
  for (const at of [0, 2])
    expect(messages[at]).toMatchObject({
      envelope: { subject: `m${at + 1}` },
      bodyStructure: { part: '1', type: 'text/plain' },
    })
})

test.each([
  ['empty', '(NIL NIL NIL NIL NIL NIL NIL NIL NIL NIL)'],
  ['missing', 'NIL'],
  ['too short', '("date" "subject")'],
  ['numbers', '(1 2 3 4 5 6 7 8 9 10)'],
  ['empty addresses', '(NIL "s" ((NIL NIL NIL NIL)) ((NIL NIL NIL)) (()) NIL NIL NIL NIL NIL)'],
  ['strings for addresses', '(NIL "s" "a@b" "c" NIL ("x") (("y")) NIL NIL NIL)'],
  ['cut short', '(NIL "s" ((NIL'],
])('fetchMessages: ENVELOPE is %s, returns all messages', async (_, envelope) => {
  const server = await start(2)
  server.mailbox('INBOX').message(1).overrides.set('ENVELOPE', envelope)
  const session = await inbox(server)
  const messages = await inTime(Array.fromAsync(session.fetchMessages([[1, 2]], { headers: true })))
  expect(messages.map(({ uid }) => uid)).toEqual([1, 2])
  expect(messages[0]?.headers?.toString()).toContain('Subject: m1')
  expect(messages[1]).toMatchObject({ envelope: { subject: 'm2', from: [{ name: 'Jane' }] } })
})

test.each([
  ['FLAGS', undefined],
  ['FLAGS', 'NIL'],
  ['FLAGS', '(\\Seen "quoted" {3}\r\nlit \\* [x] )'],
  ['INTERNALDATE', undefined],
  ['INTERNALDATE', 'NIL'],
  ['INTERNALDATE', '"1-Jan-70"'],
  ['INTERNALDATE', '"31-Feb-2024 99:99:99 +9999"'],
  ['RFC822.SIZE', '0'],
  ['RFC822.SIZE', '-1'],
  ['RFC822.SIZE', '99999999999999999999'],
  ['RFC822.SIZE', 'NIL'],
  ['UID', '0'],
  ['UID', 'x'],
  ['UID', '99999999999'],
  ['UID', undefined],
])('fetchMessages: %s of %j, returns the other messages', async (item, lie) => {
  const server = await start(3)
  server.mailbox('INBOX').message(2).overrides.set(item, lie)
  const session = await inbox(server)
  const messages = await inTime(Array.fromAsync(session.fetchMessages([[1, 3]])))
  expect(messages.map(({ uid }) => uid)).toEqual(expect.arrayContaining([1, 3]))
  expect(messages.length).toBeLessThanOrEqual(3)
  for (const { uid, internalDate, size, flags } of messages) {
    expect([1, 2, 3]).toContain(uid)
    expect(internalDate.getTime()).not.toBeNaN()
    expect(size).toBeGreaterThanOrEqual(0)
    expect(Array.isArray(flags)).toBe(true)
  }
})

test('fetchMessages: responses for other messages or without UID, are separated', async () => {
  const server = await start(2)
  const session = await inbox(server)
  server.on(
    'FETCH',
    adds('* 1 FETCH (FLAGS (\\Seen))', '* 7 FETCH (UID 77 FLAGS ())', '* 0 FETCH (UID 0)'),
  )
  const messages = await Array.fromAsync(session.fetchMessages([[1, 2]]))
  expect(messages.map(({ uid }) => uid)).toEqual([1, 2])
})

test.each([
  ['longer than its content', /\{(\d+)\}\r\n/, '{99999}\r\n'],
  ['shorter than its content', /\{(\d+)\}\r\n/, '{3}\r\n'],
])(
  'fetchMessages: literal announced %s, fails or omits it within bounds',
  async (_, pattern, by) => {
    const server = await start(1)
    const session = await inbox(server)
    server.on('FETCH', async (command) => {
      const text = (await command.defaultReply()).join('\r\n')
      return { raw: `${text.replace(pattern, by)}\r\n`, then: 'close' }
    })
    const read = session
      .downloadSource(1)
      .then(async ({ content }) => await Array.fromAsync(content))
    await inTime(read.catch((error: unknown) => expect(error).toMatchObject({ name: 'AppError' })))
  },
)

test('fetchMessages: connection lost within a message, is unreachable', async () => {
  const server = await start()
  server.mailbox('INBOX').append(letter('big', 'x'.repeat(3_000_000)))
  const session = await inbox(server)
  const { content } = await session.downloadSource(1)
  server.on('FETCH', truncatesAfter(1_000))
  await expect(Array.fromAsync(content)).rejects.toMatchObject({ kind: 'unreachable' })
  expect(await session.closed).toMatchObject({ kind: 'unreachable' })
})

test('ImapConnection: bytes before a tag, blank lines, wrong tags and long lines, are ignored', async () => {
  const server = await start(2)
  const session = await inbox(server)
  server.on('NOOP', async (command) => {
    const text = (await command.defaultReply()).join('\r\n')
    const junk = [
      '',
      'zzz OK not yours',
      '* ',
      '*',
      '+',
      `* OK ${'x'.repeat(10_000)}`,
      '* 99999999999999999999 EXPUNGE',
      '* -1 FETCH (UID 1)',
    ]
    return { raw: `${junk.join('\r\n')}\r\n\0${text}\r\n` }
  })
  await inTime(session.ping())
  expect(await session.searchUids({ all: true })).toEqual([[1, 2]])
})

test('ImapConnection: line of 5 MB, is read', async () => {
  const server = await start(2)
  const session = await inbox(server)
  server.on('NOOP', times(1, adds(`* OK [X ${'y'.repeat(5 * 2 ** 20)}] long`)))
  await inTime(session.ping())
  expect(await session.searchUids({ all: true })).toEqual([[1, 2]])
})

test('fetchMessages: OK with throttling text, succeeds', async () => {
  const server = await start(2)
  const session = await inbox(server)
  const distorted = distort(server, 'FETCH', [/OK done$/, 'OK Success [THROTTLED]'])
  expect(await uidsOf(session.fetchMessages([[1, 2]]))).toEqual([1, 2])
  expect(distorted.times).toBeGreaterThan(0)
})

test('fetchMessages: throttled, waits for the requested time and succeeds', async () => {
  const server = await start(2)
  const session = await inbox(server)
  server.on(
    'FETCH',
    times(1, rejects('BAD Request is throttled. Suggested Backoff Time: 30 milliseconds')),
  )
  expect(await inTime(uidsOf(session.fetchMessages([[1, 2]])))).toEqual([1, 2])
})

test('downloadSource: source returned as NIL, is not replaced', async () => {
  const server = await start(1)
  const session = await inbox(server)
  const distorted = distort(server, 'FETCH', [
    /BODY\[\](<\d+>)? \{\d+\}\r\n.*\)$/s,
    'BODY[]$1 NIL)',
  ])
  const read = session
    .downloadSource(1)
    .then(async ({ content }) => Buffer.concat(await Array.fromAsync(content)))
  const result = await read.catch((error: unknown) => error)
  expect(distorted.times).toBeGreaterThan(0)
  if (Buffer.isBuffer(result)) expect(result).toHaveLength(0)
  else expect(result).toMatchObject({ name: 'AppError' })
})

test('MailSession: BYE during any call, is unreachable with its text', async () => {
  const server = await start(2)
  const session = await inbox(server)
  server.on('SEARCH', sendsRaw('* BYE Session expired, please login again\r\n', 'close'))
  await expect(session.searchUids({ all: true })).rejects.toMatchObject({
    kind: 'unreachable',
    extras: { info: { response: 'Session expired, please login again' } },
  })
  expect(await session.closed).toMatchObject({ kind: 'unreachable' })
})

test('searchUids: SEARCH without results, is empty', async () => {
  const server = await start(3)
  const session = await inbox(server)
  server.on('SEARCH', times(1, omits(/^\* ESEARCH/)))
  expect(await session.searchUids({ all: true })).toEqual([[1, 3]])
})
