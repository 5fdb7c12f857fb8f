import { afterAll, expect, test } from '@jest/globals'
import type { StoredDraft } from '@posthorn/db'
import { eventually } from '@posthorn/testkit'
import { startGraphFake } from '@posthorn/testkit/graph-fake'
import { startGmailFake } from '@posthorn/testkit/providers/gmail'
import { apiFixture } from './api-fixture.ts'
import { runKilledSenders } from './killed-senders.ts'

// Senders are killed while they send: before a request takes effect, or when only its response is
// lost. The fakes count what was sent.

const addresses = ['a@mail.example', 'b@mail.example']
const graph = await startGraphFake({ mailboxes: addresses })
const gmail = await startGmailFake()
const fixture = await apiFixture()
const { db } = fixture
afterAll(async () => {
  await fixture[Symbol.asyncDispose]()
  await graph[Symbol.asyncDispose]()
  await gmail[Symbol.asyncDispose]()
})

/** Message whose files have these sizes. */
function withFiles(fileSizes: readonly number[]): Buffer {
  const files = fileSizes.map((size) => {
    const type = 'Content-Type: application/octet-stream\r\nContent-Disposition: attachment'
    const text = Buffer.alloc(size, 'x').toString('base64')
    return `--b\r\n${type}; filename=f\r\nContent-Transfer-Encoding: base64\r\n\r\n${text}\r\n`
  })
  const type = 'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b'
  return Buffer.from(`${type}\r\n\r\n--b\r\n\r\ntext\r\n${files.join('')}--b--\r\n`)
}

interface Submissions {
  accounts: readonly string[]
  count: number
  /** True for the n-th message if it has `large` as its content. */
  isLarge: (at: number) => boolean
  large: Buffer
  /** Stores a draft as the owner of an account. Every fifth message is one. */
  storeDraft: (account: string, raw: Buffer) => StoredDraft
}

/** Submits messages to the accounts in turn. Returns their Message-IDs. */
async function submitAll(submissions: Submissions): Promise<string[]> {
  const { accounts, count, isLarge, large, storeDraft } = submissions
  const ids: string[] = []
  for (let at = 0; at < count; at++) {
    const account = accounts[at % accounts.length] ?? ''
    // Waits, so that its content can be replaced.
    const queueId = await fixture.waiting(account, { maxAttempts: 100 })
    ids.push(`<${queueId}@example.com>`)
    const head = 'From: a@mail.example\r\nTo: you@example.net\r\nMessage-ID: '
    const row = db.updateTable('outbox').where('queueId', '=', queueId)
    if (at % 5 === 0) {
      const messageIdHeader = `<draft-of-${queueId}@example.com>`
      const stored = storeDraft(account, Buffer.from(`${head}${messageIdHeader}\r\n\r\nstored\r\n`))
      await row.set({ storedDraft: JSON.stringify({ ...stored, messageIdHeader }) }).execute()
      ids[at] = messageIdHeader
    }
    if (!isLarge(at)) continue
    const mime = Buffer.concat([Buffer.from(`${head}${ids.at(-1)}\r\n`), large])
    await row.set({ mime }).execute()
  }
  await db
    .updateTable('outbox')
    .set({ nextAttemptAt: new Date(0) })
    .where('account', 'in', accounts)
    .execute()
  return ids
}

/** Waits until all messages are sent and no draft is left. */
async function untilSent(accounts: readonly string[], drafts: () => unknown[]): Promise<void> {
  const unsent = db
    .selectFrom('outbox')
    .select('queueId')
    .where('account', 'in', accounts)
    .where('state', '<>', 'sent')
  await eventually(async () => expect(await unsent.execute()).toEqual([]), { timeoutMs: 500_000 })
  await eventually(() => expect(drafts()).toEqual([]), { timeoutMs: 60_000 })
}

/** Message-ID of a source. */
const idIn = (source: Buffer) =>
  /^Message-ID: (.+?)\r$/im.exec(source.toString('latin1'))?.[1] ?? ''

/** Registers accounts of the mailboxes. */
async function addAccounts(backend: 'gmail' | 'graph'): Promise<string[]> {
  const accounts: string[] = []
  for (const address of addresses) {
    const { account } = await fixture.addAccount({ backend })
    fixture.users.set(account, address)
    if (backend === 'gmail') fixture.tokens.set(account, gmail.grant(address))
    accounts.push(account)
  }
  return accounts
}

/** Stores a draft of the owner in the fake of the account. */
function storeAtGmail(account: string, raw: Buffer): StoredDraft {
  const mailbox = gmail.mailboxes.get(fixture.users.get(account) ?? '')
  return { messageId: mailbox?.deliver(raw, { labels: ['DRAFT'] }).id ?? '' }
}

function storeAtGraph(account: string, raw: Buffer): StoredDraft {
  const mailbox = graph.mailboxes.find(({ address }) => address === fixture.users.get(account))
  if (!mailbox) throw new Error('no mailbox')
  const folderId = mailbox.folder('drafts').id
  const { id, version } = mailbox.deliver({ raw, folderId, isDraft: true })
  return { messageId: id, version: `CQAAABYAAAD${version}` }
}

/** One kill before, and one after each of these: 20 of each provider. */
const gmailMoments = [
  ...['drafts.create', 'drafts.send', 'messages.get'].flatMap((method) => [method, method, method]),
  'drafts.create#upload',
].map((method) => `gmail.users.${method}`)
const ofMessage = 'POST /messages/{message-id}'
const graphMoments = [
  'POST /messages',
  'POST /messages',
  `${ofMessage}/attachments`,
  `${ofMessage}/attachments/createUploadSession`,
  'upload',
  'upload',
  'PATCH /messages/{message-id}',
  `${ofMessage}/send`,
  `${ofMessage}/send`,
  'GET /messages/{message-id}',
]

/** Lets the index of Gmail lack the draft at the next lookup, in half of the cases. */
function hideDrafts(): (path: string) => void {
  const hidden = new Set<string>()
  gmail.on('drafts.list', ({ params: { userId = '' } }) =>
    hidden.delete(userId)
      ? { kind: 'reply', response: { body: { resultSizeEstimate: 0 } } }
      : undefined,
  )
  let kills = 0
  return (path) => {
    const user = addresses.find((each) => path.includes(encodeURIComponent(each)))
    if (user !== undefined && (kills += 1) % 2 === 0) hidden.add(user)
  }
}

test('senders killed 20 times at each provider in 200 messages, 40 of them stored drafts: each is sent exactly once, no draft is left', async () => {
  for (const moments of [gmailMoments, graphMoments]) expect(moments).toHaveLength(10)
  for (const address of addresses) gmail.addMailbox(address)
  const [ofGmail, ofGraph] = [await addAccounts('gmail'), await addAccounts('graph')]
  const gmailIds = await submitAll({
    accounts: ofGmail,
    count: 200,
    isLarge: (at) => at % 10 === 7,
    large: withFiles([3_000_000]),
    storeDraft: storeAtGmail,
  })
  // One file in a request, one in an upload of two slices.
  const fileSizes = [100_000, 4_000_000]
  const graphIds = await submitAll({
    accounts: ofGraph,
    count: 200,
    isLarge: (at) => at % 10 === 4,
    large: withFiles(fileSizes),
    storeDraft: storeAtGraph,
  })
  const drafts = () => [
    ...[...gmail.mailboxes.values()].flatMap(({ list }) =>
      list.filter(({ labels }) => labels.has('DRAFT')),
    ),
    ...graph.mailboxes.flatMap((mailbox) => mailbox.list(mailbox.folder('drafts').id)),
  ]
  const units = { accountUnits: 1_000_000_000, applicationUnits: 1_000_000_000 }
  const options = {
    env: fixture.env({ SVC_PROVIDER_LIMITS: JSON.stringify({ gmail: units }) }),
    origins: { ...graph.origins, 'https://gmail.googleapis.com': gmail.origin },
    fakes: [gmail.fake, graph.server],
    moments: [...gmailMoments, ...graphMoments],
    onKill: hideDrafts(),
  }
  const accounts = [...ofGmail, ...ofGraph]
  expect(await runKilledSenders(options, () => untilSent(accounts, drafts))).toEqual([])
  expect(gmail.sent.map(({ raw }) => idIn(raw)).toSorted()).toEqual(gmailIds.toSorted())
  const sent = graph.mailboxes.flatMap((mailbox) => mailbox.sent.map(idIn))
  expect(sent.toSorted()).toEqual(graphIds.toSorted())
  const large = graph.mailboxes
    .flatMap((mailbox) => [...mailbox.messages.values()])
    .filter(({ content }) => content.attachments.length > 0)
  expect(large).toHaveLength(20)
  for (const { content } of large)
    expect(content.attachments.map(({ bytes }) => bytes.length)).toEqual(fileSizes)
  expect(Math.max(...graph.concurrency.most.values())).toBeLessThanOrEqual(4)
  const events = await db.selectFrom('events').select('event').execute()
  expect(events.filter(({ event }) => event === 'messageSent')).toHaveLength(400)
}, 900_000)
