import { afterAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { startGraphFake } from '@posthorn/testkit/graph-fake'
import { apiFixture, idOf, past } from './api-fixture.ts'

// Tests of the header fields of messages that the running sender sends through the Graph fake.

const address = 'ann@mail.example'
const graph = await startGraphFake({ mailboxes: [address] })
const fixture = await apiFixture()
const origins = Object.entries(graph.origins).map((pair) => pair.join('='))
const sender = await fixture.startSender({
  SVC_PROVIDER_ORIGINS: origins.join(','),
  // With the default limit, the upload of 52 MB to Graph would wait for a minute.
  SVC_PROVIDER_LIMITS: '{"graph":{"uploadBytes":1e12}}',
})
afterAll(async () => {
  await sender[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
  await graph[Symbol.asyncDispose]()
})

const fields = [
  'List-Unsubscribe: <https://a.example/u>, <mailto:u@a.example>',
  'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
  'List-ID: <news.a.example>',
  'Auto-Submitted: auto-generated',
  'Precedence: bulk',
  ...[1, 2, 3, 4, 5, 6, 7].map((number) => `X-Own-${number}: ${number}`),
]

/** MIME source of a message with the given header fields and a file of `size` bytes. */
function message(queueId: string, { header, size }: { header: string[]; size: number }): Buffer {
  const head = [
    `From: ${address}`,
    'To: you@example.net',
    'Subject: news',
    `Message-ID: <${queueId}@example.com>`,
    ...header,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
  ]
  const type =
    'Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename=f'
  const body = Buffer.alloc(size, 'x').toString('base64')
  const file = `${type}\r\nContent-Transfer-Encoding: base64\r\n\r\n${body}`
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n--b\r\n\r\ntext\r\n--b\r\n${file}\r\n--b--\r\n`)
}

interface Sending {
  header: string[]
  size: number
  structured?: boolean
  /** True if an earlier sending attempt ended after the request that creates the Graph draft. */
  hasOrphan?: boolean
}

/** Leaves a Graph draft as a sender does that ends before the draft's id is committed. */
async function leaveDraft({
  account,
  queueId,
  mime,
}: {
  account: string
  queueId: string
  mime: Buffer
}) {
  const folderId = graph.mailbox.folder('drafts').id
  graph.mailbox.deliver({ raw: mime, folderId, isDraft: true })
  const row = { queueId, account, messageId: idOf(queueId), checkAt: past() }
  await fixture.db.insertInto('draftCleanups').values(row).execute()
}

/** Waits until a submission (message to send) has ended, without reading its content. */
async function untilSent(queueId: string) {
  const row = fixture.db.selectFrom('outbox').select('state').where('queueId', '=', queueId)
  const isSent = async () => expect(await row.execute()).toEqual([{ state: 'sent' }])
  await eventually(isSent, { timeoutMs: 300_000 })
}

async function send({ structured = false, hasOrphan = false, ...content }: Sending) {
  const { account } = await fixture.addAccount({ backend: 'graph' })
  fixture.users.set(account, address)
  const queueId = await fixture.waiting(account)
  const mime = message(queueId, content)
  if (hasOrphan) await leaveDraft({ account, queueId, mime })
  await fixture.db
    .updateTable('outbox')
    .set({ useStructuredFormat: structured, nextAttemptAt: new Date(0), mime })
    .where('queueId', '=', queueId)
    .execute()
  await untilSent(queueId)
  const [event] = await fixture.eventsOf(account)
  const [head = ''] =
    graph.mailbox.sent.at(-1)?.toString('latin1', 0, 8_192).split('\r\n\r\n') ?? []
  const [copy] = graph.mailbox.list(graph.mailbox.folder('sentitems').id)
  const isWhole = copy?.content.attachments[0]?.bytes.equals(Buffer.alloc(content.size, 'x'))
  return { event, lines: head.split('\r\n'), isWhole }
}

test.each([
  ['small message as MIME', { size: 100 }],
  ['small structured message', { size: 100, structured: true }],
  ['message above the limit of MIME', { size: 2_000_000 }],
  ['message with an upload session', { size: 4_000_000 }],
  ['message above 64 MiB', { size: 52_000_000 }],
])(
  '%s: the sent message has all header fields',
  async (_name, options) => {
    const { event, lines, isWhole } = await send({ header: fields, ...options })
    expect(isWhole).toBe(true)
    expect(lines).toEqual(expect.arrayContaining(fields))
    expect(event).toMatchObject({ event: 'messageSent' })
    expect(event?.data).not.toHaveProperty('omittedHeaders')
  },
  400_000,
)

test.each([
  ['', {}],
  [' and a draft of an interrupted attempt', { hasOrphan: true }],
])(
  'structured message%s, header fields that Graph replaces: messageSent names them',
  async (_name, options) => {
    const header = ['X-Two: 1', 'X-Two: 2', 'DKIM-Signature: v=1', ...fields]
    const { event, lines } = await send({ header, size: 100, structured: true, ...options })
    expect(event?.data).toMatchObject({ omittedHeaders: ['X-Two', 'DKIM-Signature'] })
    expect(lines).toEqual(expect.arrayContaining(['X-Two: 1', ...fields]))
  },
)
