import { afterEach, expect, test } from '@jest/globals'
import { eventually, imapFaults, type ImapScript, startImapScript } from '@posthorn/testkit'
import { connect as connectSocket, type Socket } from 'node:net'

const {
  adds,
  failsOn,
  hides,
  limitsConnections,
  notConnected,
  rejects,
  repeatsUids,
  replaces,
  sendsRaw,
  times,
  truncatesAfter,
} = imapFaults

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each[Symbol.asyncDispose]()
})

async function start(messages = 0): Promise<ImapScript> {
  const server = await startImapScript()
  open.push(server)
  for (let n = 1; n <= messages; n++)
    server.mailbox('INBOX').append(`Subject: ${n}\r\n\r\nhello\r\n`)
  return server
}

interface ImapDialogue {
  socket: Socket
  /** Returns the text received from the IMAP server and whether the connection is open. */
  received(): string
  ended(): boolean
  /** Sends an IMAP command and returns the reply up to the tagged line. */
  execute(command: string): Promise<string>
}

/** IMAP client that reads raw bytes, for details that an IMAP library hides. */
function openDialogue({ host, port }: ImapScript): ImapDialogue {
  const socket = connectSocket(port, host)
  open.push({ [Symbol.asyncDispose]: async () => void socket.destroy() })
  let text = ''
  let over = false
  let tags = 0
  socket.setEncoding('latin1').on('data', (more: string) => (text += more))
  socket.on('error', () => (over = true)).on('close', () => (over = true))
  return {
    socket,
    received: () => text,
    ended: () => over,
    async execute(command) {
      const tag = `t${++tags}`
      const before = text.length
      socket.write(`${tag} ${command}\r\n`)
      const done = new RegExp(`^${tag} .*\\r\\n`, 'm')
      await eventually(() => done.test(text) || over)
      return text.slice(before)
    },
  }
}

async function selectInbox(server: ImapScript): Promise<ImapDialogue> {
  const client = openDialogue(server)
  await client.execute('LOGIN jane secret')
  await client.execute('SELECT INBOX')
  return client
}

test('imapFaults: the greeting may be BYE, invalid or missing', async () => {
  const server = await start()
  const offBye = server.on('greeting', sendsRaw('* BYE full\r\n', 'close'))
  const first = openDialogue(server)
  await eventually(() =>
    expect([first.received(), first.ended()]).toEqual(['* BYE full\r\n', true]),
  )
  offBye()
  server.on('greeting', () => [])
  const second = openDialogue(server)
  await second.execute('NOOP')
  expect(second.received()).toBe('t1 OK done\r\n')
})

test('imapFaults.times: limits a hook to its count, the latest hook runs first', async () => {
  const server = await start()
  const client = await selectInbox(server)
  server.on('NOOP', rejects('NO never'))
  const off = server.on('NOOP', times(2, rejects('NO [UNAVAILABLE] later')))
  expect(await client.execute('NOOP')).toContain('NO [UNAVAILABLE] later')
  expect(await client.execute('NOOP')).toContain('NO [UNAVAILABLE] later')
  expect(await client.execute('NOOP')).toContain('NO never')
  off()
  expect(await client.execute('NOOP')).toContain('NO never')
  expect(server.received.filter((command) => command === 'NOOP')).toHaveLength(4)
})

test('imapFaults: hides a message, fails on it, truncates the reply', async () => {
  const server = await start(3)
  const client = await selectInbox(server)
  const offHiding = server.on('FETCH', hides(2))
  const seen = await client.execute('UID FETCH 1:* (FLAGS)')
  expect(seen.match(/UID \d/g)).toEqual(['UID 1', 'UID 3'])
  offHiding()
  const offFailure = server.on('FETCH', failsOn(2))
  expect(await client.execute('UID FETCH 1:3 (FLAGS)')).toMatch(/^t\d NO Server error\r\n$/)
  expect(await client.execute('UID FETCH 1,3 (FLAGS)')).toContain('OK')
  offFailure()
  server.on('UID FETCH', truncatesAfter(40))
  const cut = await client.execute('UID FETCH 1:3 (BODY.PEEK[])')
  expect([cut.length, client.ended()]).toEqual([40, true])
})

test('imapFaults: changes, repeats and adds lines', async () => {
  const server = await start(2)
  server.on('SELECT', replaces(/UIDNEXT \d+/, 'UIDNEXT 0'))
  server.on('SEARCH', repeatsUids())
  server.on('NOOP', adds('* VANISHED 1:4294967295', `* OK ${'x'.repeat(10_000)}`))
  const client = await selectInbox(server)
  expect(client.received()).toContain('[UIDNEXT 0]')
  expect(await client.execute('UID SEARCH ALL')).toContain('* SEARCH 1 1 2 2\r\n')
  expect((await client.execute('NOOP')).length).toBeGreaterThan(10_000)
})

test('startImapScript: N:* contains the last message for any N', async () => {
  const server = await start(2)
  const client = await selectInbox(server)
  expect(await client.execute('UID FETCH 99:* (UID)')).toContain('* 2 FETCH (UID 2)')
})

test('imapFaults: limitsConnections rejects further logins, notConnected rejects commands after the login', async () => {
  const server = await start()
  const offLimit = server.on('LOGIN', limitsConnections(2))
  const clients = [openDialogue(server), openDialogue(server), openDialogue(server)]
  const replies: string[] = []
  for (const client of clients) replies.push(await client.execute('LOGIN jane secret'))
  expect(replies.map((reply) => reply.includes('OK'))).toEqual([true, true, false])
  clients[0]?.socket.destroy()
  await eventually(() => expect(server.sessions).toHaveLength(2))
  expect(await clients[2]?.execute('LOGIN jane secret')).toContain('OK')
  offLimit()
  server.on('*', notConnected())
  const rejected = openDialogue(server)
  expect(await rejected.execute('LOGIN jane secret')).toContain('OK')
  expect(await rejected.execute('SELECT INBOX')).toContain(
    'BAD User is authenticated but not connected.',
  )
})

test('ImapScript: resets, freezes, ends connections, and refuses them until open', async () => {
  const server = await start(1)
  const [one, two, three] = [
    await selectInbox(server),
    await selectInbox(server),
    await selectInbox(server),
  ]
  server.sessions[0]?.reset()
  await eventually(() => expect(one.ended()).toBe(true))
  expect(server.sessions).toHaveLength(2)
  server.sessions[0]?.freeze()
  two.socket.write('x NOOP\r\n')
  expect(await three.execute('NOOP')).toContain('OK')
  expect(two.received()).not.toContain('x OK')
  const { port } = server
  await server.close()
  await eventually(() => expect([two.ended(), three.ended()]).toEqual([true, true]))
  await server.open()
  expect(server.port).toBe(port)
  expect((await selectInbox(server)).received()).toContain('* 1 EXISTS')
})

test('ImapScript: renumbers a mailbox, enforces quota and size limit', async () => {
  await using server = await startImapScript({ quota: { usage: 0, limit: 100 }, appendLimit: 80 })
  const inbox = server.mailbox('INBOX')
  inbox.append('one', { uid: 17 })
  inbox.append('two', { uid: 23 })
  inbox.renumber(99)
  const client = await selectInbox(server)
  expect(client.received()).toContain('[UIDVALIDITY 99]')
  expect(inbox.messages.map(({ uid, rfc822 }) => [uid, rfc822])).toEqual([
    [1, 'one'],
    [2, 'two'],
  ])
  const append = (bytes: number) =>
    client.execute(`APPEND INBOX {${bytes}+}\r\n${'x'.repeat(bytes)}`)
  expect(await append(90)).toContain('NO [TOOBIG]')
  expect(await append(60)).toContain('[APPENDUID 99 3]')
  expect(await append(60)).toContain('NO [OVERQUOTA]')
})

test('ImapScript: a hook that throws resets its client and fails the disposal', async () => {
  const server = await startImapScript()
  server.on('NOOP', () => {
    throw new Error('error of the test')
  })
  const client = openDialogue(server)
  await client.execute('NOOP')
  expect(client.ended()).toBe(true)
  await expect(server[Symbol.asyncDispose]()).rejects.toThrow('error of the test')
})
