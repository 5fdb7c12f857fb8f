import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Secret } from '@posthorn/config'
import { testDovecot } from '@posthorn/testkit'
import { testCertificate } from './certificate.ts'
import { imapOf, testProxy, type TestProxy } from './proxy.ts'
import { RawClient } from './raw-client.ts'

// Tests that run the same IMAP dialogs against imap-proxy and Dovecot. The table lists and explains
// differences.

const dovecot = await testDovecot()
const { cert, key } = testCertificate()
const proxy: TestProxy = await testProxy({ tlsCert: cert, tlsKey: new Secret(key) })
afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await dovecot.drop()
})

const user = dovecot.freshUser()
let ours: Side
beforeAll(async () => {
  await proxy.addAccount('acc', imapOf(user), { user: user.user, pass: user.pass })
  ours = { name: 'acc', secret: await proxy.addToken({ account: 'acc' }), open: () => proxy.open() }
})

interface Side {
  name: string
  secret: string
  open: () => Promise<RawClient>
}

const theirs: Side = {
  name: user.user,
  secret: user.pass,
  async open() {
    const client = await RawClient.open(user.imapPort)
    await client.until(/^\* OK .*\r\n/)
    return client
  },
}

const noMore = Symbol('no more')

type Step =
  /** Step of an IMAP dialog: line to send. */
  | string
  /** Step of an IMAP dialog: pattern to wait for. */
  | RegExp
  /** Step of an IMAP dialog: half-closes the connection and continues reading. */
  | typeof noMore

/**
 * Returns the transcript of an IMAP dialog. A dialog that the server does not end sends `z LOGOUT`.
 */
async function talk(side: Side, steps: readonly Step[]): Promise<string[]> {
  const client = await side.open()
  let transcript = ''
  for (const step of steps) {
    if (step instanceof RegExp) transcript += await client.until(step)
    else if (step === noMore) client.socket.end()
    else client.send(step)
  }
  transcript += await client.untilClosed()
  client.close()
  return transcript.split('\r\n').flatMap(codeOf)
}

/**
 * Extracts tag, status and code of IMAP responses for a comparison. Texts differ; untagged
 * responses are omitted.
 */
function codeOf(line: string): string[] {
  const [, tag, status, code = ''] =
    /^(\+|[\w:*]+) ?(OK|NO|BAD|BYE)?(?: (\[[A-Z]+)?[^\r]*)?$/.exec(line) ?? []
  if (tag === undefined || (tag === '*' && !/^BAD|BYE$/.test(status ?? ''))) return []
  return [[tag, status, code.slice(1)].filter(Boolean).join(' ')]
}

const bye = ['* BYE', 'z OK']
const plain = ({ name, secret }: Side) => Buffer.from(`\0${name}\0${secret}`).toString('base64')
const words = ({ name, secret }: Side) => [name, secret] as const

interface Probe {
  what: string
  steps: (side: Side) => Step[]
  says: string[]
  /** Dovecot's IMAP responses, if they differ from those of imap-proxy or vary. */
  dovecotSays?: string[] | 'either'
}

const probes: Probe[] = [
  {
    what: 'LOGIN with synchronising literals',
    steps: (side) => {
      const [name, secret] = words(side)
      return [
        `a LOGIN {${name.length}}\r\n`,
        /\+ .*\r\n/,
        `${name} {${secret.length}}\r\n`,
        /\+ .*\r\n/,
        `${secret}\r\n`,
        /^a .*\r\n/m,
        'z LOGOUT\r\n',
      ]
    },
    says: ['+ OK', '+ OK', 'a OK', ...bye],
    // Dovecot sends its IMAP capabilities as a response code.
    dovecotSays: ['+ OK', '+ OK', 'a OK CAPABILITY', ...bye],
  },
  {
    what: 'LOGIN with non-synchronising literals',
    steps: (side) => {
      const [name, secret] = words(side)
      return [
        `a LOGIN {${name.length}+}\r\n${name} {${secret.length}+}\r\n${secret}\r\n`,
        /^a .*\r\n/m,
        'z LOGOUT\r\n',
      ]
    },
    says: ['a OK', ...bye],
    dovecotSays: ['a OK CAPABILITY', ...bye],
  },
  {
    what: 'three commands in one packet behind LOGIN',
    steps: ({ name, secret }) => [
      `a LOGIN ${name} ${secret}\r\nb NOOP\r\nc SELECT INBOX\r\nd NOOP\r\n`,
      /^d .*\r\n/m,
      'z LOGOUT\r\n',
    ],
    says: ['a OK', 'b OK', 'c OK READ', 'd OK', ...bye],
    dovecotSays: ['a OK CAPABILITY', 'b OK', 'c OK READ', 'd OK', ...bye],
  },
  {
    what: 'AUTHENTICATE PLAIN with an initial response',
    steps: (side) => [`a AUTHENTICATE PLAIN ${plain(side)}\r\n`, /^a .*\r\n/m, 'z LOGOUT\r\n'],
    says: ['a OK', ...bye],
    dovecotSays: ['a OK CAPABILITY', ...bye],
  },
  {
    what: 'AUTHENTICATE PLAIN with the response when asked',
    steps: (side) => [
      'a AUTHENTICATE PLAIN\r\n',
      /\+ .*\r\n/,
      `${plain(side)}\r\n`,
      /^a .*\r\n/m,
      'z LOGOUT\r\n',
    ],
    says: ['+', 'a OK', ...bye],
    dovecotSays: ['+', 'a OK CAPABILITY', ...bye],
  },
  {
    what: 'AUTHENTICATE with an unknown mechanism',
    steps: () => ['a AUTHENTICATE X-NONE Zm9v\r\n', /^a .*\r\n/m, 'z LOGOUT\r\n'],
    says: ['a NO CANNOT', ...bye],
    dovecotSays: ['a NO ALERT', ...bye],
  },
  {
    what: 'a tag of 200 characters is not said back',
    steps: () => [`${'a'.repeat(200)} NOOP\r\n`, /BAD.*\r\n/, 'z LOGOUT\r\n'],
    says: ['* BAD', ...bye],
  },
  {
    what: '100 kB without a line break',
    steps: () => ['x'.repeat(100_000)],
    says: ['* BYE'],
  },
  {
    what: 'a literal of 99999999999 bytes',
    steps: () => ['a LOGIN {99999999999}\r\n'],
    says: ['* BYE'],
  },
  {
    what: 'literal of an unknown command is skipped',
    steps: () => ['a FOO {8+}\r\nb LOGOUT\r\nc NOOP\r\n', /^c .*\r\n/m, 'z LOGOUT\r\n'],
    says: ['a BAD', 'c OK', ...bye],
  },
  {
    what: 'HTTP with a login in its body',
    steps: ({ name, secret }) => [
      `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nA: b\r\n\r\na LOGIN ${name} ${secret}\r\n`,
    ],
    says: [],
    dovecotSays: ['POST BAD', 'Host: BAD', '* BYE'],
  },
  {
    what: 'NOOP and the end in one packet behind a login: answered first',
    steps: ({ name, secret }) => [
      `a LOGIN ${name} ${secret}\r\n`,
      /^a .*\r\n/m,
      'b NOOP\r\nc NOOP\r\n',
      noMore,
    ],
    says: ['a OK', 'b OK', 'c OK'],
    // Dovecot 2.3 may close the connection before it responds; imap-proxy waits for the responses.
    dovecotSays: 'either',
  },
  {
    what: 'plaintext command pipelined after STARTTLS is not executed',
    steps: () => ['a STARTTLS\r\nb NOOP\r\n'],
    says: ['* BYE'],
    // Dovecot parses the IMAP command as a TLS handshake.
    dovecotSays: ['a OK'],
  },
  {
    what: 'ID before the login',
    steps: () => ['a ID ("name" "x")\r\n', /^a .*\r\n/m, 'z LOGOUT\r\n'],
    says: ['a OK', ...bye],
  },
]

test.each(probes)('$what', async ({ steps, says, dovecotSays = says }) => {
  if (dovecotSays !== 'either') expect(await talk(theirs, steps(theirs))).toEqual(dovecotSays)
  expect(await talk(ours, steps(ours))).toEqual(says)
})
