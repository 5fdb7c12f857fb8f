import { setTimeout as delay } from 'node:timers/promises'
import type { LoggedRequest } from '@posthorn/testkit/providers'
import { eventually } from '@posthorn/testkit'
import { freshMessageId, plainMessage } from '../../world.ts'
import type { Row } from '../report.ts'
import { requestsOf, type Scene } from './scene.ts'

const repeats = 10
/** Time in milliseconds after a webhook in which further requests are counted for this webhook. */
const settleMs = 1_000
const account = 'graph'

/**
 * Counts the requests to Microsoft Graph for single changes in a mailbox, including the requests of
 * the sync until the webhook. The events contain message texts. Changes through the API are not
 * notified, because a notification would add a request.
 */
export async function benchRequestCounts(scene: Scene): Promise<Row[]> {
  const { posthorn } = scene.world
  await posthorn.updateSettings({ body: { notifyText: true } })
  const ids: string[] = []
  const arrivals = await average(scene, async () => ids.push(await deliver(scene)))
  const flags = await average(scene, (at) => markAsSeen(scene, ids[at] ?? ''))
  const moves = await average(scene, (at) => moveMessage(scene, ids[at] ?? ''))
  const sent = await average(scene, () => submit(scene))
  await posthorn.updateSettings({ body: { notifyText: false } })
  return [
    row('notified new message with text, webhook included', arrivals, 3),
    row('flag change through the API, webhook included', flags, 2),
    row('move through the API, webhooks included', moves, 3),
    row('sent message', sent, 3),
  ]
}

function row(what: string, measured: number, reference: number): Row {
  const fields = { unit: ' requests', referenceIs: 'limit' }
  return { what: `Microsoft Graph, ${what}`, measured, reference, ...fields }
}

async function average(scene: Scene, work: (at: number) => Promise<unknown>): Promise<number> {
  let total = 0
  for (let at = 0; at < repeats; at++) {
    const before = requestsOf(scene, account).length
    await work(at)
    await delay(settleMs)
    total += requestsOf(scene, account).slice(before).filter(isCounted).length
  }
  return total / repeats
}

/**
 * True for a request to Microsoft Graph that is counted. Polls of all folders and renewals of
 * subscriptions are not counted.
 */
function isCounted({ operation }: LoggedRequest): boolean {
  return !/subscriptions|childFolders|GET \/mailFolders$/.test(operation)
}

async function deliver({ world, fakes: { graph } }: Scene): Promise<string> {
  const raw = Buffer.from(plainMessage({ messageId: freshMessageId() }))
  const { id } = graph.mailbox.deliver({ raw })
  await graph.notifications.send()
  await world.webhook(({ event, data }) => event === 'messageNew' && data.id === id)
  return id
}

async function markAsSeen({ world }: Scene, message: string): Promise<void> {
  await world.posthorn.updateMessage({
    account,
    message,
    body: { flags: { add: ['\\Seen'] } },
  })
  await world.webhook(({ event, data }) => event === 'messageUpdated' && data.id === message)
}

async function moveMessage({ world }: Scene, message: string): Promise<void> {
  const path = 'Folder 1'
  await world.posthorn.moveMessage({ account, message, body: { path } })
  await world.webhook(
    ({ event, path: to, data }) => event === 'messageNew' && to === path && data.id === message,
  )
}

async function submit({ world, fakes: { graph } }: Scene): Promise<void> {
  const before = graph.mailbox.sent.length
  const body = { to: [{ address: 'bob@mail.test' }], subject: 'n', text: 'x' }
  await world.posthorn.submitMessage({ account, body })
  await eventually(() => graph.mailbox.sent.length > before, { timeoutMs: 60_000 })
}
