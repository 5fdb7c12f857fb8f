import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '@posthorn/testkit'
import type { LoggedRequest } from '@posthorn/testkit/providers'
import { freshMessageId, plainMessage, untilConnected } from '../../world.ts'
import { percentile, type Row } from '../report.ts'
import { createApiApps, createPubSubApp } from '../../provider-fakes.ts'
import {
  connect,
  gmailMailbox,
  graphFolders,
  mailboxSize,
  type ProviderName,
  replayMs,
  requestsOf,
  type Scene,
  shortening,
  unitsSince,
} from './scene.ts'

const hourMs = 3_600_000
/** Number of hours for which idle accounts are measured, at shortened intervals. */
const idleHours = 1

const watchedMailbox = 'watched@workspace.example'

/**
 * Measures the requests of idle accounts per hour, counted by the fakes: first with notifications,
 * then without. Daily renewals of watches are not counted, and neither are pulls of Pub/Sub, which
 * the accounts of an application share.
 */
export async function benchIdleAccounts(scene: Scene): Promise<Row[]> {
  const { gmail, graph } = scene.fakes
  await untilConnected(scene.world, 'graph')
  await eventually(() => graph.subscriptions.size > 0, { timeoutMs: 300_000 })
  await connectWatched(scene)
  const idle = async (
    provider: ProviderName,
    isCounted: (request: LoggedRequest) => boolean = () => true,
  ) => {
    const start = requestsOf(scene, provider).length
    await delay((idleHours * hourMs) / shortening)
    const requests = requestsOf(scene, provider).slice(start).filter(isCounted)
    if (requests.length === 0)
      throw new Error(`no request of the idle ${provider} account was counted: check the filter`)
    const units = requests.reduce((sum, each) => sum + each.units, 0) / idleHours
    return { calls: requests.length / idleHours, units }
  }
  const isOfMailbox = (address: string) => (request: LoggedRequest) =>
    gmail.findGrant(request)?.address === address
  const [gmailWatched, graphWatched] = await Promise.all([
    idle('gmail', isOfMailbox(watchedMailbox)),
    idle('graph'),
  ])
  graph.faults.refusesSubscriptions = true
  await graph.notifications.lifecycle(graph.mailbox, 'subscriptionRemoved')
  await eventually(
    () => requestsOf(scene, 'graph').some(({ operation, status }) => isRefused(operation, status)),
    { timeoutMs: 60_000 },
  )
  const [gmailPolled, graphPolled] = await Promise.all([
    idle('gmail', isOfMailbox(gmailMailbox)),
    idle('graph'),
  ])
  graph.faults.refusesSubscriptions = false
  await scene.world.posthorn.deleteAccount({ account: 'watched' })
  const row = (
    what: string,
    { calls, units }: { calls: number; units: number },
    [polls, lists]: readonly [number, number],
  ) => ({
    what: `idle account per hour, ${what}, ${units} units, intervals ${shortening} times shorter`,
    measured: calls,
    reference: polls * lists,
    unit: ' requests',
    referenceIs: `bare client, ${polls} polls of ${lists} ${lists === 1 ? 'list' : 'lists'} of changes`,
  })
  const folders = graph.mailbox.folders.size
  return [
    row('Gmail without notifications', gmailPolled, [80, 1]),
    row('Gmail with notifications', gmailWatched, [6, 1]),
    row('Microsoft Graph without notifications', graphPolled, [80, folders]),
    row('Microsoft Graph with notifications', graphWatched, [6, folders]),
  ]
}

/** Registers a Gmail account whose mailbox is watched over Pub/Sub. */
async function connectWatched(scene: Scene): Promise<void> {
  const { world, fakes } = scene
  const { id: pubSubApp, subscription } = await createPubSubApp(world)
  const isSubscribed = () => fakes.gmail.pubsub.subscriptions.has(subscription)
  await eventually(isSubscribed, { timeoutMs: 120_000 })
  const { gmail: app } = await createApiApps(world, { pubSubApp })
  fakes.gmail.addMailbox(watchedMailbox)
  await connect(scene, 'gmail', { account: 'watched', user: watchedMailbox, app })
  const isWatched = () => [...fakes.gmail.notifications.watches.values()].length > 0
  await eventually(isWatched, { timeoutMs: 120_000 })
  // Waits until the watch of the mailbox has ended the first poll interval, which is without
  // notifications.
  await untilConnected(world, 'watched')
}

/**
 * Number of changes in a Gmail mailbox that are measured one by one. The API requests a sync pass
 * for each change.
 */
const singleChanges = 10

/**
 * Measures the quota units of a new message and of a changed label, including the units of the sync
 * pass that finds them. The median is printed, because polls may come in between without the real
 * limits.
 */
export async function benchUnits(scene: Scene): Promise<Row[]> {
  const mailbox = scene.fakes.gmail.mailboxes.get(gmailMailbox)
  if (!mailbox) throw new Error('no mailbox')
  const unitsOf = async (event: string, change: () => string) => {
    const units: number[] = []
    for (let count = 0; count < singleChanges; count++) {
      const position = scene.fakes.gmail.fake.log.length
      const id = change()
      await scene.world.posthorn.syncAccount({ account: 'gmail', body: { sync: true } })
      await scene.world.webhook((hook) => hook.event === event && hook.data.id === id, 120_000)
      units.push(unitsSince(scene, position))
    }
    return percentile(units, 50)
  }
  const added = await unitsOf(
    'messageNew',
    () => mailbox.deliver(plainMessage({ messageId: freshMessageId() })).id,
  )
  const messages = mailbox.list.filter(({ labels }) => labels.has('IMPORTANT'))
  const labelled = await unitsOf('messageUpdated', () => {
    const message = messages.pop()
    if (!message) throw new Error('no message')
    mailbox.modify(message, [], ['IMPORTANT'])
    return message.id
  })
  const row = (what: string, measured: number, reference: number) => ({
    what: `gmail${scene.limits}, ${what}, with the pass that finds it`,
    measured,
    reference,
    unit: ' units',
    referenceIs: 'limit',
  })
  return [row('a new message with its text', added, 25), row('a changed label', labelled, 3)]
}

function isRefused(operation: string, status: number | undefined): boolean {
  return operation === 'POST /subscriptions' && status === 403
}

/** Numbers of changes in a mailbox during an outage. Half of the changes are new messages. */
const changeCounts = { added: 500, flagged: 300, removed: 200 }
const changeCount = Object.values(changeCounts).reduce((sum, count) => sum + count, 0)

/** Measures the time from the end of an outage with 1,000 changes to their last webhook. */
export async function benchCatchUp(scene: Scene, provider: ProviderName): Promise<Row[]> {
  const { world, limits } = scene
  const { receiver, posthorn } = world
  const before = requestsOf(scene, provider).length
  const position = scene.fakes.gmail.fake.log.length
  const received = receiver.requests.length
  if (provider === 'gmail') changeGmail(scene)
  else changeGraph(scene)
  const from = performance.now()
  await posthorn.syncAccount({ account: provider, body: { sync: true } })
  await eventually(() => receiver.requests.length - received >= changeCount, {
    timeoutMs: 600_000,
  })
  const ms = performance.now() - from
  const requests = requestsOf(scene, provider).slice(before)
  const units = unitsSince(scene, position)
  const pacedS = provider === 'gmail' ? units / 100 : (requests.length * 600) / 10_000
  const counts = `${requests.length} requests${provider === 'gmail' ? `, ${units} units` : ''}`
  return [
    {
      what: `${provider}${limits}, catch-up of ${changeCount} changes, ${counts}`,
      measured: ms / 1_000,
      reference: limits === '' ? (await replayMs(scene, provider, requests)) / 1_000 : pacedS,
      unit: ' s',
      referenceIs:
        limits === ''
          ? 'bare client with the same requests, without events and webhooks'
          : 'the limits of the provider, without what is available immediately',
    },
  ]
}

function changeGmail({ fakes: { gmail } }: Scene): void {
  const mailbox = gmail.mailboxes.get(gmailMailbox)
  if (!mailbox) throw new Error('no mailbox')
  const { added, flagged, removed } = changeCounts
  const messages = [...mailbox.messages.values()]
  for (const message of messages.slice(0, flagged)) mailbox.modify(message, ['STARRED'], [])
  for (const message of messages.slice(flagged, flagged + removed)) mailbox.remove(message)
  for (let count = 0; count < added; count++)
    mailbox.deliver(plainMessage({ messageId: freshMessageId() }))
}

/** Changes messages in all folders of the Graph mailbox. */
function changeGraph({ fakes: { graph } }: Scene): void {
  const { mailbox } = graph
  const { added, flagged, removed } = changeCounts
  const messages = [...mailbox.messages.values()]
  const folders = [...mailbox.folders.keys()].slice(-graphFolders)
  for (const message of messages.slice(0, flagged)) {
    message.flagStatus = 'flagged'
    mailbox.touch(message, ['flag'])
  }
  for (const message of messages.slice(flagged, flagged + removed)) mailbox.remove(message)
  for (let count = 0; count < added; count++) {
    const raw = Buffer.from(plainMessage({ messageId: freshMessageId() }))
    mailbox.deliver({ raw, folderId: folders[count % folders.length] ?? '' })
  }
}

const deltaOperation = 'GET /mailFolders/{mailFolder-id}/messages/delta()'

/**
 * Time in milliseconds without a request of a full round (listing of all messages) after which the
 * comparison of a mailbox counts as ended.
 */
const quietMs = 3_000

/**
 * Measures the comparison of the whole mailbox, which Graph requests by the notification `missed`.
 */
export async function benchFullSweep(scene: Scene): Promise<Row[]> {
  const { graph } = scene.fakes
  await eventually(() => graph.subscriptions.size > 0, { timeoutMs: 300_000 })
  const start = graph.server.log.length
  const from = graph.clock.now
  await graph.notifications.lifecycle(graph.mailbox, 'missed')
  // Only pages of full rounds (listings of all messages) are counted: polls and other sync passes
  // continue from the end of an earlier round.
  const pages = () =>
    graph.server.log
      .slice(start)
      .filter(({ operation, query }) => operation === deltaOperation && !query.has('$deltatoken'))
  const hasEnded = () => {
    const requests = pages()
    const rounds = requests.filter(({ query }) => !query.has('$skiptoken'))
    const quietSince = requests.at(-1)?.at ?? Infinity
    return rounds.length >= graph.mailbox.folders.size && graph.clock.now - quietSince > quietMs
  }
  await eventually(hasEnded, { timeoutMs: 600_000 })
  const requests = pages()
  const ms = (requests.at(-1)?.at ?? from) - from
  const what = `Microsoft Graph${scene.limits}, full sweep of ${mailboxSize} messages`
  return [
    {
      what: `${what}, ${requests.length} lists of changes`,
      measured: ms / 1_000,
      reference: (await replayMs(scene, 'graph', requests)) / 1_000,
      unit: ' s',
      referenceIs: 'bare client with the same requests',
    },
  ]
}
