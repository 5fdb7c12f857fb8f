import { setTimeout as delay } from 'node:timers/promises'
import { operations } from '@posthorn/contracts/operations'
import { eventually } from '@posthorn/testkit'
import { freshMessageId, plainMessage, untilConnected } from '../../world.ts'
import type { Row } from '../report.ts'
import {
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
/** Hours of idle accounts that are measured, at shortened intervals. */
const idleHours = 1

/**
 * Requests of idle accounts per hour: Graph with notifications, then both without. The daily
 * renewal of a watch is not counted.
 */
export async function benchIdleAccounts(scene: Scene): Promise<Row[]> {
  const { graph } = scene.fakes
  await untilConnected(scene.world.client, 'graph')
  await eventually(() => graph.subscriptions.size > 0, { timeoutMs: 300_000 })
  const idle = async (provider: ProviderName) => {
    const before = requestsOf(scene, provider).length
    await delay((idleHours * hourMs) / shortening)
    return (requestsOf(scene, provider).length - before) / idleHours
  }
  const withPush = await idle('graph')
  graph.faults.refusesSubscriptions = true
  await graph.notifications.lifecycle(graph.mailbox, 'subscriptionRemoved')
  await eventually(
    () => requestsOf(scene, 'graph').some(({ operation, status }) => isRefused(operation, status)),
    { timeoutMs: 60_000 },
  )
  const [gmailPolled, graphPolled] = await Promise.all([idle('gmail'), idle('graph')])
  graph.faults.refusesSubscriptions = false
  const row = (what: string, measured: number, [polls, lists]: readonly [number, number]) => ({
    what: `idle account per hour, ${what}`,
    measured,
    reference: polls * lists,
    unit: ' requests',
    referenceIs: `bare client, ${polls} polls of ${lists} ${lists === 1 ? 'list' : 'lists'} of changes`,
  })
  const folders = graph.mailbox.folders.size
  const perPass = gmailPolled / 80
  return [
    row('Gmail without notifications', gmailPolled, [80, 1]),
    row('Gmail with notifications, from the same passes', perPass * 6, [6, 1]),
    row('Microsoft Graph without notifications', graphPolled, [80, folders]),
    row('Microsoft Graph with notifications', withPush, [6, folders]),
  ]
}

function isRefused(operation: string, status: number | undefined): boolean {
  return operation === 'POST /subscriptions' && status === 403
}

/** Changes during an outage: half of them are new messages. */
const changeCounts = { added: 500, flagged: 300, removed: 200 }
const changeCount = Object.values(changeCounts).reduce((sum, count) => sum + count, 0)

/** Time from the end of an outage with 1,000 changes to their last webhook. */
export async function benchCatchUp(scene: Scene, provider: ProviderName): Promise<Row[]> {
  const { world, limits } = scene
  const { receiver, client } = world
  const before = requestsOf(scene, provider).length
  const position = scene.fakes.gmail.fake.log.length
  const received = receiver.requests.length
  if (provider === 'gmail') changeGmail(scene)
  else changeGraph(scene)
  const from = performance.now()
  await client.call(operations.syncAccount, {
    params: { account: provider },
    body: { sync: true },
  })
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

/** Changes in all folders. */
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

/** Time without a request of a full round after which the comparison has ended. */
const quietMs = 3_000

/** Comparison of the whole mailbox, which Graph requests by the notification `missed`. */
export async function benchFullSweep(scene: Scene): Promise<Row[]> {
  const { graph } = scene.fakes
  await eventually(() => graph.subscriptions.size > 0, { timeoutMs: 300_000 })
  const start = graph.server.log.length
  const from = graph.clock.now
  await graph.notifications.lifecycle(graph.mailbox, 'missed')
  // Polls and other passes continue where a round has ended.
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
