import { afterAll, expect, test } from '@jest/globals'
import { eventually, faultSize } from '@posthorn/testkit'
import { DeliveryGate, type ProviderRequest } from '@posthorn/testkit/providers'
import { type GmailMailbox, gmailFailures } from '@posthorn/testkit/providers/gmail'
import { auditedGmail } from '../audit/audited-mailbox.ts'
import { registerApiAccount, untilSynced } from '../audit/connect-account.ts'
import { holdsRequests } from '../audit/hold-requests.ts'
import { MailboxAudit } from '../audit/mailbox-audit.ts'
import { readLogs } from '../canaries.ts'
import { createApiApps, startProviderFakes } from '../provider-fakes.ts'
import { startWorld, untilConnected, type Webhook } from '../world.ts'

// Faults of Gmail and of sync-worker. After each fault, the events that a webhook receiver got and
// the stored index are compared with the mailbox.

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const fakes = stack.use(await startProviderFakes({ mailboxes: [] }))
const { gmail } = fakes
const world = stack.use(
  await startWorld({
    names: ['api-gateway', 'auth-bridge', 'sync-worker', 'webhook-dispatcher'],
    env: { ...fakes.env, SVC_API_POLL_INTERVAL: '1s', SVC_LOG_LEVEL: 'trace' },
  }),
)
const { posthorn } = world
const apps = await createApiApps(world)
const hourMs = 3_600_000
const monthMs = 30 * 24 * hourMs

/** Words of messages that no log may contain. */
const marks = { subject: 'Zebrafish', text: 'Walrus', sender: 'ptarmigan@example.test' }
let serial = 0
const source = () =>
  [
    `From: ${marks.sender}`,
    'To: jane@workspace.example',
    `Subject: ${marks.subject} ${(serial += 1)}`,
    `Message-ID: <${serial}@example.test>`,
    '',
    `${marks.text}\r\n`,
  ].join('\r\n')

/**
 * Advances the clock of the Gmail fake. Access tokens stay valid, because the time of the services
 * stays.
 */
function pass(ms: number): void {
  gmail.clock.advance(ms)
  for (const token of gmail.tokens.values()) token.expiresAt += ms
}

function addMailbox(name: string, messages: number): GmailMailbox {
  const mailbox = gmail.addMailbox(`${name}@workspace.example`)
  const internalDate = Date.now() - monthMs
  for (let at = 0; at < messages; at++) mailbox.deliver(source(), { internalDate })
  return mailbox
}

/** Registers a Gmail account, and compares its mailbox with its events from then on. */
async function connect(name: string, messages = 0) {
  const mailbox = addMailbox(name, messages)
  const { address } = mailbox
  await registerApiAccount(world, { account: name, app: apps.gmail, address })
  await untilSynced(world, name)
  const audit = await MailboxAudit.begin(world, name, auditedGmail(mailbox))
  return { mailbox, audit, account: name }
}

const ownerOf = (request: ProviderRequest) => gmail.findGrant(request)?.address
const main = await connect('main', 600)
const ofMessages = (events: { event: string }[]) =>
  events.filter(({ event }) => event.startsWith('message'))

/** Numbers of changes in a Gmail mailbox, by kind of change. */
interface ChangeCounts {
  arrived: number
  deleted: number
  read: number
  flagged: number
  labelled: number
  archived: number
  trashed: number
  junk: number
  savedDrafts: number
}
const gap: ChangeCounts = {
  arrived: 400,
  deleted: 150,
  read: 100,
  flagged: 50,
  labelled: 100,
  archived: 50,
  trashed: 50,
  junk: 50,
  savedDrafts: 25,
}
const few: ChangeCounts = {
  arrived: 20,
  deleted: 20,
  read: 20,
  flagged: 10,
  labelled: 20,
  archived: 5,
  trashed: 5,
  junk: 5,
  savedDrafts: 0,
}

/**
 * Changes messages of a Gmail mailbox, each message once. Drafts are saved again, which deletes a
 * message and adds a message.
 */
function change(mailbox: GmailMailbox, counts: ChangeCounts, drafts: readonly string[]): void {
  const messages = mailbox.list.filter(({ labels }) => labels.has('INBOX') && !labels.has('DRAFT'))
  const each = (count: number, apply: (message: (typeof messages)[number]) => void) =>
    messages.splice(0, count).forEach((message) => apply(message))
  each(counts.deleted, (message) => mailbox.remove(message))
  each(counts.read, (message) => mailbox.changeLabels(message, [], ['UNREAD']))
  each(counts.flagged, (message) => mailbox.changeLabels(message, ['STARRED'], []))
  each(counts.labelled, (message) => mailbox.changeLabels(message, ['Label_work'], []))
  each(counts.archived, (message) => mailbox.changeLabels(message, [], ['INBOX']))
  each(counts.trashed, (message) => mailbox.changeLabels(message, ['TRASH'], ['INBOX']))
  each(counts.junk, (message) => mailbox.changeLabels(message, ['SPAM'], ['INBOX']))
  for (const draftId of drafts.slice(0, counts.savedDrafts))
    mailbox.saveDraft(Buffer.from(source()), { draftId })
  for (let at = 0; at < counts.arrived; at++) {
    mailbox.deliver(source())
    // Messages that are deleted immediately have no events.
    if (at % 8 === 0) mailbox.remove(mailbox.deliver(source()))
  }
}

test('a one-hour gap with 1,000 changes: each is announced once, short-lived messages never', async () => {
  const { mailbox, audit } = main
  mailbox.setLabel({ id: 'Label_work', name: 'Work', type: 'user' })
  const drafts = Array.from({ length: gap.savedDrafts }, () =>
    mailbox.saveDraft(Buffer.from(source())),
  )
  await audit.settle()
  await audit.restart()
  await world.services.stop('sync-worker')
  pass(hourMs / 2)
  change(mailbox, gap, drafts)
  pass(hourMs / 2)
  await world.services.start('sync-worker')
  const events = await audit.settle({ lists: ['INBOX', 'Work', 'TRASH'] })
  expect(ofMessages(events)).toHaveLength(1_000)
  const saved = events.filter(({ data }) => mailbox.messages.get(data.id)?.labels.has('DRAFT'))
  expect(saved.map(({ event, data }) => [event, data.seemsLikeNew])).toEqual(
    drafts.map(() => ['messageNew', false]),
  )
  await audit.compareIndex()
})

test('Gmail is unreachable for a time: the changes are announced once', async () => {
  const { mailbox, audit, account } = main
  await audit.restart()
  await gmail.fake.close()
  const failed = ({ event, ...hook }: { event: string; account: string }) =>
    event === 'connectError' && hook.account === account
  await world.webhook(failed)
  change(mailbox, few, [])
  await gmail.fake.open()
  await untilConnected(world, account)
  await audit.settle()
})

async function warnings(account: string): Promise<string[]> {
  const rows = await world.database.query<{ key: string }>(
    "select key from account_changes where account = $1 and type = 'syncWarning' order by id",
    [account],
  )
  return rows.map(({ key }) => key)
}

test('an expired history: historyIdExpired, and each difference once', async () => {
  const { mailbox, audit, account } = main
  await audit.restart()
  const before = (await warnings(account)).length
  change(mailbox, { ...few, arrived: 40, deleted: 30 }, [])
  mailbox.expireHistory()
  await audit.settle()
  expect((await warnings(account)).slice(before)).toEqual(['historyIdExpired'])
})

test('a throttled minute: the account stays connected, and each change is announced once', async () => {
  const { mailbox, audit, account } = main
  await audit.restart()
  const minute = gmail.clock.now + 60_000
  const refusals = [
    () => gmailFailures.rateLimitedUntil(new Date(Date.now() + 1_000)),
    () => gmailFailures.tooManyRequests('1'),
    () => gmailFailures.tooManyRequests(),
    () => gmailFailures.tooManyConcurrent(),
  ]
  let refused = 0
  const remove = gmail.on('*', ({ params }) => {
    if (gmail.clock.now >= minute || params['userId'] === undefined) return undefined
    pass(10_000)
    const refusal = refusals[refused++ % refusals.length]
    return refusal && { kind: 'reply', response: refusal() }
  })
  change(mailbox, few, [])
  const states = world.webhooks().length
  await audit.settle()
  remove()
  expect(refused).toBeGreaterThanOrEqual(6)
  const later = world.webhooks().slice(states)
  const failures = later.filter((hook) => hook.account === account && hook.event.endsWith('Error'))
  expect(failures).toEqual([])
})

/** Number of commits of an initial sync. Each commit follows a Gmail request. */
const commits = 20
/** Distance between the commits at which sync-worker is killed: each commit in full size. */
const commitStep = faultSize({ small: 2, full: 1 })
const announcedIds = (account: string): string[] =>
  world.receiver.requests
    .filter(({ body }) => body.includes(`"${account}"`))
    .map((request) => request.json() as Webhook)
    .filter((hook) => hook.account === account && hook.event === 'messageNew')
    .map(({ data }) => String(data.id))

test('the worker is killed at the commits of an initial sync: nothing is lost or repeated', async () => {
  const accounts = Array.from({ length: commits / commitStep }, (_, at) => {
    const account = `first-${at}`
    // A page of Gmail's message list has 500 messages.
    return { account, mailbox: addMailbox(account, at % 5 === 0 ? 520 : 40) }
  })
  const gate = new DeliveryGate()
  const positions = new Map(
    accounts.map(({ mailbox }, at) => [mailbox.address, at * commitStep + 2]),
  )
  const remove = gmail.on('*', holdsRequests(positions, gate, ownerOf))
  for (const { account, mailbox } of accounts)
    await registerApiAccount(world, { account, app: apps.gmail, address: mailbox.address })
  await eventually(() => expect(gate.waiting).toBe(accounts.length), { timeoutMs: 150_000 })
  const delivered = accounts.map(({ mailbox }) => {
    for (const message of mailbox.list.slice(0, 8)) mailbox.remove(message)
    for (const message of mailbox.list.slice(0, 8)) mailbox.changeLabels(message, [], ['UNREAD'])
    return Array.from({ length: 3 }, () => mailbox.deliver(source()).id)
  })
  await world.services.kill('sync-worker')
  remove()
  gate.open()
  await world.services.start('sync-worker')
  await Promise.all(
    accounts.map(async ({ account, mailbox }, at) => {
      await untilSynced(world, account)
      await eventually(() => expect(announcedIds(account)).toEqual(delivered[at]))
      await (await MailboxAudit.begin(world, account, auditedGmail(mailbox))).compareIndex()
      // Polls of this account would slow down polls of the account `main`.
      await posthorn.deleteAccount({ account })
    }),
  )
}, 600_000)

test('an empty mailbox: nothing is listed, the first message is announced', async () => {
  const { mailbox, audit } = await connect('empty')
  expect(await audit.settle()).toEqual([])
  await audit.compareIndex()
  mailbox.deliver(source())
  expect(await audit.settle()).toHaveLength(1)
})

test('labels with &, / and emoji: renaming one renames those below it, messages keep theirs', async () => {
  const { mailbox, audit, account } = main
  const [before, after] = ['Täglich & Co', 'Täglich / 🦓']
  const below = ['', '/😀', '/a & b', '/a & b/c']
  for (const rest of below) {
    const path = `${before}${rest}`
    const created = await posthorn.createMailbox({ account, body: { path } })
    expect(created).toMatchObject({ path, created: true })
  }
  const labels = [...mailbox.labels.values()].filter(({ name }) => name.startsWith(before))
  expect(labels.map(({ name }) => name).sort()).toEqual(
    below.map((rest) => `${before}${rest}`).sort(),
  )
  const message = mailbox.deliver(source(), { labels: labels.map(({ id }) => id) })
  await world.webhook(({ event, data }) => event === 'messageNew' && data.id === message.id)
  const renamed = await posthorn.updateMailbox({ account, body: { path: before, newPath: after } })
  expect(renamed).toMatchObject({ renamed: true })
  const paths = (name: string, start: string) =>
    world
      .webhooks()
      .filter((hook) => hook.event === name && hook.path?.startsWith(start))
      .map(({ path = '' }) => path)
      .sort()
  const moved = (start: string) => below.map((rest) => `${start}${rest}`).sort()
  await eventually(() => {
    expect(paths('mailboxDeleted', before)).toEqual(moved(before))
    expect(paths('mailboxNew', after)).toEqual(moved(after))
  })
  await audit.restart()
  mailbox.changeLabels(message, ['STARRED', 'Label_work'], [labels[0]?.id ?? ''])
  await audit.settle({ lists: [`${after}/😀`, `${after}/a & b/c`] })
  await audit.compareIndex()
})

test('no log contains a subject, a text, an address of a sender or a token', async () => {
  const logs = Object.entries(await readLogs(world.logDir))
  const secrets = [...Object.values(marks), ...gmail.tokens.keys()]
  expect(logs.map(([file]) => file)).toContain('sync-worker.log')
  for (const [file, text] of logs)
    expect([file, secrets.filter((each) => text.includes(each))]).toEqual([file, []])
})
