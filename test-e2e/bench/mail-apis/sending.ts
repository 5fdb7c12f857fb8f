import { operations } from '@posthorn/contracts/operations'
import type { LoggedRequest } from '@posthorn/testkit/providers'
import { eventually } from '@posthorn/testkit'
import { freshMessageId, plainMessage } from '../../world.ts'
import { callApi } from '../call-api.ts'
import { perSecond, type Row } from '../report.ts'
import {
  gmailMailbox,
  graphMailbox,
  type ProviderName,
  requestsOf,
  type Scene,
  unitsSince,
} from './scene.ts'

const attachmentMegabytes = 4

/** Measures messages of one account per minute, and provider calls per message. */
export async function benchSending(
  scene: Scene,
  provider: ProviderName,
  count: number,
): Promise<Row[]> {
  const position = scene.fakes.gmail.fake.log.length
  const { requests, ms } = await sendingRequests(scene, provider, async () => {
    for (let at = 0; at < count; at++) {
      const body = { to: [{ address: 'bob@mail.test' }], subject: `n ${at}`, text: 'x' }
      await callApi(scene.world, operations.submitMessage, { params: { account: provider }, body })
    }
    return count
  })
  const calls = requests.length / count
  const units = unitsSince(scene, position) / count
  const sendingUnits = requests.reduce((sum, each) => sum + each.units, 0) / count
  const permitted = provider === 'gmail' ? 6_000 / units : 1_000 / calls
  const isLimited = scene.limits !== ''
  const what = `${provider}${scene.limits}, sent messages of one account, ${calls.toFixed(1)} calls each`
  const rows: Row[] = [
    {
      what:
        provider === 'gmail' ? `${what}, ${units.toFixed(0)} units with those of the sync` : what,
      measured: perMinute(count, ms),
      reference: isLimited
        ? permitted
        : perMinute(count, await bareSendingMs(scene, provider, count)),
      unit: '/min',
      referenceIs: isLimited
        ? 'the limit of the provider'
        : 'bare client: draft, then send, one after the other',
    },
  ]
  if (provider !== 'gmail') return rows
  rows.push({
    what: `gmail${scene.limits}, a sent message without the sync`,
    measured: sendingUnits,
    reference: 135,
    unit: ' units',
    referenceIs: 'limit',
  })
  return rows
}

function perMinute(count: number, ms: number): number {
  return 60 * perSecond(count, ms)
}

async function bareSendingMs(
  { fakes: { gmail, graph } }: Scene,
  provider: ProviderName,
  count: number,
): Promise<number> {
  const mime = Buffer.from(plainMessage({ messageId: freshMessageId() }))
  const root = `${graph.server.origin}/v1.0/users/${graphMailbox}/messages`
  const drafts = `${gmail.origin}/gmail/v1/users/me/drafts`
  const token = gmail.grant(gmailMailbox)
  const from = performance.now()
  for (let at = 0; at < count; at++)
    if (provider === 'gmail') {
      const draft = { message: { raw: mime.toString('base64url') } }
      const { id } = await post(drafts, { token, type: json, body: JSON.stringify(draft) })
      await post(`${drafts}/send`, { token, type: json, body: JSON.stringify({ id }) })
    } else {
      const body = mime.toString('base64')
      const { id = '' } = await post(root, { token, type: 'text/plain', body })
      await post(`${root}/${encodeURIComponent(id)}/send`, { token })
    }
  return performance.now() - from
}

const json = 'application/json'

async function post(
  url: string,
  { token, type, body }: { token: string; type?: string; body?: string },
): Promise<{ id?: string }> {
  const headers = {
    authorization: `Bearer ${token}`,
    prefer: 'IdType="ImmutableId"',
    ...(type !== undefined && { 'content-type': type }),
  }
  const response = await fetch(url, { method: 'POST', headers, ...(body && { body }) })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  const text = await response.text()
  return text === '' ? {} : (JSON.parse(text) as { id?: string })
}

/**
 * Counts the requests for a message above 3 MB, whose attachment is uploaded to Graph in slices.
 */
export async function benchLargeMessage(scene: Scene): Promise<Row[]> {
  const content = Buffer.alloc(attachmentMegabytes * 1_000_000, 'x').toString('base64')
  const { requests } = await sendingRequests(scene, 'graph', async () => {
    const attachments = [{ filename: 'x.bin', content, encoding: 'base64' }]
    const body = { to: [{ address: 'bob@mail.test' }], subject: 'large', text: 'x', attachments }
    const params = { account: 'graph' }
    const { status } = await callApi(scene.world, operations.submitMessage, { params, body })
    if (status !== 200) throw new Error(`status ${status}`)
    return 1
  })
  return [
    {
      what: `Microsoft Graph, a sent message with an attachment of ${attachmentMegabytes} MB`,
      measured: requests.length,
      reference: 4,
      unit: ' requests',
      referenceIs: 'draft, upload session, one slice, release',
    },
  ]
}

/**
 * Measures the provider requests of the service sender for messages, and the time until the last
 * message was sent.
 */
async function sendingRequests(
  scene: Scene,
  provider: ProviderName,
  submit: () => Promise<number>,
): Promise<{ requests: LoggedRequest[]; ms: number }> {
  const from = performance.now()
  const { gmail, graph } = scene.fakes
  const sent = () => (provider === 'gmail' ? gmail.sent : graph.mailbox.sent).length
  const [before, requestsBefore] = [sent(), requestsOf(scene, provider).length]
  const count = await submit()
  await eventually(() => sent() >= before + count, { timeoutMs: 300_000 })
  const ms = performance.now() - from
  const requests = requestsOf(scene, provider).slice(requestsBefore)
  return { requests: requests.filter(({ operation }) => isSending(operation)), ms }
}

/**
 * True for a provider operation of the service sender. Gets of single Gmail messages are counted
 * for the sender, because sync-worker gets messages in batches.
 */
function isSending(operation: string): boolean {
  return /draft|send|upload|messages\.get|POST \/messages|PATCH \/messages/i.test(operation)
}
