import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Secret } from '@posthorn/config'
import { testDovecot } from '@posthorn/testkit'
import { testCertificate } from './certificate.ts'
import { imapOf, testProxy, type TestProxy } from './proxy.ts'
import { RawClient } from './raw-client.ts'

// The same conversations with us and with Dovecot, which is the model. Where we say something else, the table says what, and why.

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
  /** To be said. */
  | string
  /** To be waited for. */
  | RegExp
  /** Nothing more is said, but what comes is read. */
  | typeof noMore

/** What is said, by whom, up to the end; a probe that is not ended by the server ends itself with `z LOGOUT`. */
async function talk(side: Side, steps: readonly Step[]): Promise<string[]> {
  const client = await side.open()
  let said = ''
  for (const step of steps) {
    if (step instanceof RegExp) said += await client.until(step)
    else if (step === noMore) client.socket.end()
    else client.send(step)
  }
  said += await client.untilClosed()
  client.close()
  return said.split('\r\n').flatMap(codeOf)
}

/** Tag, status and code of an answer: the words differ. Lists and notices are left out. */
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
  /** Where it is not the same, or not always. */
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
    // It tells what it can do in a code.
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
    what: 'AUTHENTICATE PLAIN with the response at once',
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
    what: 'AUTHENTICATE with a mechanism nobody has',
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
    what: 'the literal of a command nobody knows is swallowed',
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
    // It may close before it has answered (2.3): ours does not pass the end on at once.
    dovecotSays: 'either',
  },
  {
    what: 'a command behind STARTTLS, in the clear, is not carried out',
    steps: () => ['a STARTTLS\r\nb NOOP\r\n'],
    says: ['* BYE'],
    // It takes the command for the beginning of TLS.
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
