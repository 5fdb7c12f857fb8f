import { afterAll, expect, test } from '@jest/globals'
import { defaultProviderLimits as limits } from '@posthorn/backends/provider-limits'
import { isFullFaultRun } from '@posthorn/testkit'
import { startGraphFake } from '@posthorn/testkit/graph-fake'
import { apiFixture } from './api-fixture.ts'
import { LendingWorker } from './lending-worker.ts'
import {
  idIn,
  messages,
  runKilledSenders,
  submitAll,
  untilSent,
  withFiles,
} from './killed-senders.ts'

const addresses = ['a@mail.example', 'b@mail.example']
const graph = await startGraphFake({ mailboxes: addresses })
const fixture = await apiFixture()
afterAll(async () => {
  await fixture[Symbol.asyncDispose]()
  await graph[Symbol.asyncDispose]()
})

const message = 'POST /messages/{message-id}'
const distinct = [
  'POST /messages',
  `${message}/attachments`,
  `${message}/attachments/createUploadSession`,
  'upload',
  'PATCH /messages/{message-id}',
  `${message}/send`,
  'GET /messages/{message-id}',
]
const repeated = ['POST /messages', 'upload', `${message}/send`]
/** Operations of Graph at which senders are killed. A full run repeats some of them. */
const moments = isFullFaultRun ? [...distinct, ...repeated] : distinct
/**
 * Sizes of a message's files: the first file is sent to Graph in one request, the second file in an
 * upload of two slices.
 */
const fileSizes = [100_000, 4_000_000]

/** Stores a draft in the Graph fake as the owner of the mailbox. */
function storeDraft(account: string, raw: Buffer) {
  const mailbox = graph.mailboxes.find(({ address }) => address === fixture.users.get(account))
  if (!mailbox) throw new Error('no mailbox')
  const folderId = mailbox.folder('drafts').id
  const { id, version } = mailbox.deliver({ raw, folderId, isDraft: true })
  return { messageId: id, version: `CQAAABYAAAD${version}` }
}

test(`Graph, senders and the worker that lends killed ${2 * moments.length} times in ${messages} messages, some above 3 MB, some stored drafts: each is sent exactly once, no draft is left`, async () => {
  const accounts: string[] = []
  for (const address of addresses) {
    const { account } = await fixture.addAccount({ backend: 'graph' })
    fixture.users.set(account, address)
    accounts.push(account)
  }
  const ids = await submitAll(fixture, { accounts, large: withFiles(fileSizes), storeDraft })
  const drafts = () =>
    graph.mailboxes.flatMap((mailbox) =>
      mailbox.list(mailbox.folder('drafts').id).map(({ id }) => id),
    )
  const { origins, server: fake } = graph
  await using worker = new LendingWorker({ url: fixture.broker.url, limits, accounts })
  const onKill = () => worker.replace()
  const options = { env: fixture.env(), origins, fake, moments, onKill }
  expect(await runKilledSenders(options, () => untilSent(fixture, drafts))).toEqual([])
  const sent = graph.mailboxes.flatMap((mailbox) => mailbox.sent.map(idIn))
  expect(sent.toSorted()).toEqual(ids.toSorted())
  const large = graph.mailboxes
    .flatMap((mailbox) => [...mailbox.messages.values()])
    .filter(({ content }) => content.attachments.length > 0)
  expect(large).toHaveLength(messages / 10)
  for (const { content } of large)
    expect(content.attachments.map(({ bytes }) => bytes.length)).toEqual(fileSizes)
  expect(Math.max(...graph.concurrency.most.values())).toBeLessThanOrEqual(4)
}, 900_000)
