import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import type { StoredDraft } from '@posthorn/db'
import { eventually } from '@posthorn/testkit'
import { startGraphFake } from '@posthorn/testkit/graph-fake'
import { SeededRandom } from '@posthorn/testkit/mail-api-model'
import type { ProviderFault } from '@posthorn/testkit/providers'
import { apiFixture, draftsOf, sentIds } from './api-fixture.ts'
import { SenderProcess } from './model-host.ts'

const addresses = ['a@mail.example', 'b@mail.example']
const graph = await startGraphFake({ mailboxes: addresses })
const fixture = await apiFixture()
const { db, models } = fixture
afterAll(async () => {
  await fixture[Symbol.asyncDispose]()
  await graph[Symbol.asyncDispose]()
})

const message = 'POST /messages/{message-id}'
/** Calls of the model of Gmail, and requests to Graph: those of a message of several requests. */
const moments = [
  'depositDraft',
  'releaseDraft',
  'findSent',
  'POST /messages',
  `${message}/attachments`,
  `${message}/attachments/createUploadSession`,
  'upload',
  'PATCH /messages/{message-id}',
  `${message}/send`,
  'GET /messages/{message-id}',
]
/** One kill at each: before the call takes effect, and when only its response is lost. */
const cuts = moments.flatMap((moment) => [`before ${moment}`, `after ${moment}`])
const messages = 200
const isLarge = (at: number) => at % 10 >= 8
/** Files of a large message: one in a request, one in an upload of two slices. */
const fileSizes = [100_000, 4_000_000]
/** Each of the two senders uses the fake by another name. */
const hosts = ['127.0.0.1', 'localhost']

function largeMessage(): Buffer {
  const files = fileSizes.map((size) => {
    const type = 'Content-Type: application/octet-stream\r\nContent-Disposition: attachment'
    const text = Buffer.alloc(size, 'x').toString('base64')
    return `--b\r\n${type}; filename=f\r\nContent-Transfer-Encoding: base64\r\n\r\n${text}\r\n`
  })
  const type = 'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b'
  return Buffer.from(`${type}\r\n\r\n--b\r\n\r\ntext\r\n${files.join('')}--b--\r\n`)
}

/** Stores a draft as its owner. Returns it as submissions name it. */
function storeDraft(account: string, raw: Buffer): StoredDraft {
  const model = models.get(account)
  const mailbox = graph.mailboxes.find(({ address }) => address === fixture.users.get(account))
  if (mailbox) {
    const folderId = mailbox.folder('drafts').id
    const { id, version } = mailbox.deliver({ raw, folderId, isDraft: true })
    return { messageId: id, version: `CQAAABYAAAD${version}` }
  }
  const folderId = model?.folder('\\Drafts').id ?? ''
  return { messageId: model?.deliver(raw, { folderId, draft: true }).id ?? '' }
}

/** Submits messages to two accounts of each provider: large ones of Graph, and stored drafts. */
async function submitAll(accounts: readonly string[]): Promise<string[]> {
  const large = largeMessage()
  const ids: string[] = []
  for (let at = 0; at < messages; at++) {
    const account = accounts[at % accounts.length] ?? ''
    // Waits, so that its content can be replaced.
    const queueId = await fixture.waiting(account, { maxAttempts: 100 })
    ids.push(`<${queueId}@example.com>`)
    const nth = Math.floor(at / accounts.length)
    if (nth % 5 === 0) {
      const messageIdHeader = `<draft-${at}@example.com>`
      ids[at] = messageIdHeader
      const head = `From: a@mail.example\r\nTo: you@example.net\r\nMessage-ID: ${messageIdHeader}`
      const stored = storeDraft(account, Buffer.from(`${head}\r\n\r\nstored\r\n`))
      const storedDraft = JSON.stringify({ ...stored, messageIdHeader })
      await db.updateTable('outbox').set({ storedDraft }).where('queueId', '=', queueId).execute()
    }
    const isGraph = at % accounts.length >= accounts.length - addresses.length
    if (!isGraph || !isLarge(nth)) continue
    const head = `From: a@mail.example\r\nTo: you@example.net\r\nMessage-ID: ${ids.at(-1)}\r\n`
    const mime = Buffer.concat([Buffer.from(head), large])
    await db.updateTable('outbox').set({ mime }).where('queueId', '=', queueId).execute()
  }
  await db
    .updateTable('outbox')
    .set({ nextAttemptAt: new Date(0) })
    .execute()
  return ids
}

/** Message-ID of a source. */
const idIn = (source: Buffer) =>
  /^Message-ID: (.+?)\r$/im.exec(source.toString('latin1'))?.[1] ?? ''

test('senders killed 20 times in 200 messages, 20 of them above 3 MB, 40 of them stored drafts: each is sent exactly once, no draft is left', async () => {
  const gmail = await Promise.all([1, 2].map(() => fixture.addAccount()))
  const accounts = gmail.map(({ account }) => account)
  for (const address of addresses) {
    const { account } = await fixture.addAccount({ backend: 'graph' })
    fixture.users.set(account, address)
    accounts.push(account)
  }
  const ids = await submitAll(accounts)
  const left = new Set(cuts)
  const random = new SeededRandom(7)
  /** Calls and requests that still pass before the next kill. */
  let skipped = 0
  const takeCut = (cut: string) => {
    if (skipped-- > 0 || !left.delete(cut)) return false
    skipped = random.below(10)
    return true
  }
  const running = new Map<string, SenderProcess>()
  const startSender = (host: string) => {
    const origins = Object.entries(graph.origins).map(
      ([origin, fake]) => `${origin}=${fake.replace(hosts[0] ?? '', host)}`,
    )
    const variables = { SVC_SENDER_LEASE: '1500ms', SVC_PROVIDER_ORIGINS: origins.join(',') }
    // Loading the modules takes most of the time of a start.
    const cache = { NODE_COMPILE_CACHE: join(tmpdir(), 'posthorn-sender-modules') }
    const env = fixture.env({ ...variables, ...cache, SVC_DATABASE_POOL_SIZE: '2' })
    const sender = new SenderProcess({
      env,
      models,
      kills({ account, method, phase }) {
        const isKilled = takeCut(`${phase} ${method}`)
        const model = models.get(account)
        // In half of the cases the index does not have the draft when the next sender looks for it.
        if (isKilled && model && left.size % 2 === 0) model.sending.hiddenDraftLookups = 1
        return isKilled
      },
    })
    running.set(host, sender)
    return sender
  }
  const killAtRequest: ProviderFault = ({ operation, headers }) => {
    const sender = running.get(headers.host?.split(':')[0] ?? '')
    const phase = (['before', 'after'] as const).find((each) => left.has(`${each} ${operation}`))
    if (!sender || !phase || !takeCut(`${phase} ${operation}`)) return undefined
    sender.kill()
    return phase === 'before' ? { kind: 'reset', phase } : undefined
  }
  graph.server.on('*', killAtRequest)
  let isDone = false
  const done = Promise.withResolvers<void>()
  /** Keeps one sender running. */
  const run = async (host: string) => {
    while (!isDone) {
      await using sender = startSender(host)
      await Promise.race([sender.ended, done.promise])
    }
  }
  const runs = Promise.all(hosts.map(run))
  const graphDrafts = () =>
    graph.mailboxes.flatMap((mailbox) => mailbox.list(mailbox.folder('drafts').id))
  try {
    const unsent = db.selectFrom('outbox').select('queueId').where('state', '<>', 'sent')
    await eventually(async () => expect(await unsent.execute()).toEqual([]), { timeoutMs: 500_000 })
    const drafts = () => [...gmail.flatMap(({ model }) => draftsOf(model)), ...graphDrafts()]
    await eventually(() => expect(drafts()).toEqual([]), { timeoutMs: 60_000 })
  } finally {
    isDone = true
    done.resolve()
    await runs
  }
  expect([...left]).toEqual([])
  const sent = [
    ...gmail.flatMap(({ model }) => sentIds(model)),
    ...graph.mailboxes.flatMap((mailbox) => mailbox.sent.map(idIn)),
  ]
  expect(sent.toSorted()).toEqual(ids.toSorted())
  const large = graph.mailboxes
    .flatMap((mailbox) => [...mailbox.messages.values()])
    .filter(({ content }) => content.attachments.length > 0)
  expect(large).toHaveLength(messages / 10)
  for (const { content } of large)
    expect(content.attachments.map(({ bytes }) => bytes.length)).toEqual(fileSizes)
  expect(Math.max(...graph.concurrency.most.values())).toBeLessThanOrEqual(4)
  const events = await db.selectFrom('events').select('event').execute()
  expect(events.filter(({ event }) => event === 'messageSent')).toHaveLength(messages)
}, 600_000)
