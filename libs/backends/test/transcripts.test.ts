import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { expect, test } from '@jest/globals'
import type { Hook } from '@posthorn/testkit'
import type { ConnectOptions, TranscriptLine } from '../src/mail-session.ts'
import { backend, start, type Replies } from './scripted-session.ts'

const password = 'correct horse battery staple'

async function transcriptOf(
  replies: Replies,
  credentials: ConnectOptions['credentials'] = { user: 'me', pass: password },
): Promise<TranscriptLine[]> {
  const lines: TranscriptLine[] = []
  const { options } = await start(replies)
  try {
    await using one = await backend.connect({
      ...options,
      credentials,
      transcript: (line) => lines.push(line),
    })
    await one.select('INBOX')
    await Array.fromAsync(one.fetchMessages([[1, 1]], { headers: true }))
    await (await one.downloadSource(1)).content[Symbol.asyncIterator]().next()
  } catch (error) {
    // The cause of the failed IMAP connection is not under test.
    expect(error).toMatchObject({ name: 'AppError' })
  }
  return lines
}

test('Transcript: session, contains the lines of both sides in order', async () => {
  const lines = await transcriptOf({})
  expect(lines.map(({ from, text }) => [from, text])).toEqual(
    expect.arrayContaining([
      ['us', 'Established TCP connection'],
      ['server', '* OK ready'],
      ['client', expect.stringMatching(/^\S+ LOGIN \(hidden\)$/)],
      ['client', expect.stringMatching(/^\S+ SELECT INBOX$/)],
      ['server', '* 3 EXISTS'],
    ]),
  )
  expect(lines.map(({ at }) => at.getTime())).toEqual(
    lines.map(({ at }) => at.getTime()).toSorted((a, b) => a - b),
  )
})

const mechanism =
  (name: string): Hook =>
  () => [`* CAPABILITY IMAP4rev1 ${name}`, '{tag} OK done']
let tag = ''
const challenge: Hook = (command) => {
  tag = command.tag
  return ['+ c2VjcmV0IGNoYWxsZW5nZQ==']
}
const settled =
  (reply: string): Hook =>
  () => [`${tag} ${reply}`]

test.each<[string, Replies, ConnectOptions['credentials']]>([
  ['LOGIN', {}, { user: 'me', pass: password }],
  [
    'LOGIN with the password in its rejection',
    { LOGIN: ({ rest }) => [`{tag} NO ${rest.replaceAll('"', '')}`] },
    { user: 'me', pass: password },
  ],
  [
    'AUTHENTICATE PLAIN',
    { CAPABILITY: mechanism('AUTH=PLAIN'), AUTHENTICATE: challenge, '': settled('OK done') },
    { user: 'me', pass: password },
  ],
  [
    'AUTHENTICATE XOAUTH2',
    {
      CAPABILITY: mechanism('SASL-IR AUTH=XOAUTH2'),
      AUTHENTICATE: challenge,
      '': settled('NO no'),
    },
    { user: 'me', accessToken: password },
  ],
  [
    'AUTHENTICATE OAUTHBEARER',
    { CAPABILITY: mechanism('AUTH=OAUTHBEARER'), AUTHENTICATE: challenge, '': settled('NO no') },
    { user: 'me', accessToken: password },
  ],
])('Transcript: secret of %s, is not contained', async (_, replies, credentials) => {
  const lines = (await transcriptOf(replies, credentials)).map(({ text }) => text)
  const all = lines.join('\n')
  expect(all).toMatch(/ (LOGIN|AUTHENTICATE) \(hidden\)/)
  expect(all).not.toContain(password)
  expect(all).not.toContain('c2VjcmV0IGNoYWxsZW5nZQ==')
  // Base64 text of the password at each of its three possible offsets.
  for (const before of ['', 'x', 'xx']) {
    const encoded = Buffer.from(before + password)
      .toString('base64')
      .slice(4, 24)
    expect(all).not.toContain(encoded)
  }
})

test('Transcript: literals and long lines, are replaced by their size or cut off', async () => {
  const body = 'A secret of mine, in a literal'
  const lines = await transcriptOf({
    'UID FETCH': ({ rest }) => [
      rest.includes('BODY.PEEK[]')
        ? `* 1 FETCH (UID 1 RFC822.SIZE ${body.length} BODY[]<0> {${body.length}}\r\n${body})`
        : `* 1 FETCH (UID 1 FLAGS () RFC822.SIZE 9 BODY[HEADER]<0> "A secret of mine, in quotes" X-${'y'.repeat(5_000)} 1)`,
      ...Array.from({ length: 20 }, () => `* OK ${'z'.repeat(10_000)}`),
      '{tag} OK done',
    ],
  })
  const has = (text: string) => lines.some((line) => line.text.includes(text))
  expect(has(`(* ${body.length}B literal *)`)).toBe(true)
  expect(has('(* 27B string *)')).toBe(true)
  expect(has('A secret of mine')).toBe(false)
  expect(Math.max(...lines.map((line) => line.text.length))).toBe(2_000)
})

interface Proxy {
  url: string
  requests: string[]
  close: () => Promise<void>
}

/** HTTP proxy with CONNECT for tests of mail connections. */
async function httpProxy(): Promise<Proxy> {
  const requests: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    sockets.add(near.on('error', () => {}))
    near.once('data', (head) => {
      const [, host = '', port = ''] = /^CONNECT (.*):(\d+) /.exec(head.toString()) ?? []
      requests.push(head.toString())
      if (host === '') return near.end('HTTP/1.1 400 no\r\n\r\n')
      const far = connect(Number(port), host, () => {
        near.write('HTTP/1.1 200 ok\r\n\r\n')
        near.pipe(far).pipe(near)
      })
      sockets.add(far.on('error', () => near.destroy()))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://user:p%40ss@localhost:${(server.address() as AddressInfo).port}`,
    requests,
    async close() {
      sockets.forEach((socket) => socket.destroy())
      server.close()
      await once(server, 'close')
    },
  }
}

test('ImapBackend.connect: proxy, carries the connection and is checked against the egress policy', async () => {
  const { options } = await start()
  const proxy = await httpProxy()
  try {
    {
      // The scripted IMAP server has no STARTTLS.
      const plaintext = { ...options, allowsPlaintext: true }
      await using one = await backend.connect({ ...plaintext, proxy: proxy.url })
      expect(await one.select('INBOX')).toMatchObject({ messages: 3 })
    }
    expect(proxy.requests[0]).toContain(`CONNECT 127.0.0.1:${options.port} `)
    expect(proxy.requests[0]).toContain(
      `Proxy-Authorization: Basic ${Buffer.from('user:p@ss').toString('base64')}`,
    )
    const refused = { kind: 'unreachable', code: 'EPROXY' }
    // The egress policy forbids the addresses of the HTTP proxy and of the SOCKS proxy. The name of
    // the mail server is not resolved, because a proxy resolves the name.
    const byName = { ...options, host: 'mail.test', egress: 'private' } as const
    for (const url of [proxy.url, 'socks5://[::1]:1'])
      await expect(backend.connect({ ...byName, proxy: url })).rejects.toMatchObject(refused)
    await expect(
      backend.connect({
        ...options,
        host: '169.254.169.254',
        egress: 'link-local',
        proxy: proxy.url,
      }),
    ).rejects.toMatchObject({ kind: 'forbidden', code: 'EEGRESSBLOCKED' })
    expect(proxy.requests).toHaveLength(1)
  } finally {
    await proxy.close()
  }
})

test.each(['ftp://127.0.0.1:1', 'http:', '127.0.0.1:3128', ''])(
  'ImapBackend.connect: proxy %j, is invalid',
  async (proxy) => {
    const { options } = await start()
    await expect(backend.connect({ ...options, proxy })).rejects.toMatchObject({ kind: 'invalid' })
  },
)

test.each(['http', 'socks5', 'socks4a', 'socks4', 'socks', 'https'])(
  'ImapBackend.connect: unavailable %s proxy, is unreachable',
  async (scheme) => {
    const { options } = await start()
    await expect(
      backend.connect({ ...options, proxy: `${scheme}://[::1]:1` }),
    ).rejects.toMatchObject({ kind: 'unreachable' })
  },
)
