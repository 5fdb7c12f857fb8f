import { once } from 'node:events'
import { eventually } from '@posthorn/testkit'
import { logIn } from '../stories/imap-client.ts'
import { freshMessageId, plainMessage, type World } from '../world.ts'
import { percentile, type Row } from './report.ts'

const count = 60

/**
 * Measures the time from the IMAP server's reply to APPEND to the webhook. Compares it with EXISTS
 * at a plain IMAP client in IDLE on the same mailbox.
 */
export async function benchLatency(world: World): Promise<Row[]> {
  await world.posthorn.updateSettings({ body: { webhooks: world.receiver.url } })
  const user = await world.connectAccount()
  const [writer, watcher] = await Promise.all([logIn(user), logIn(user)])
  await watcher.mailboxOpen('INBOX')
  const measured: number[] = []
  const plain: number[] = []
  for (let round = 0; round < count; round++) {
    const messageId = freshMessageId()
    void watcher.idle()
    const notified = once(watcher, 'exists').then(() => performance.now())
    await writer.append('INBOX', plainMessage({ messageId }))
    const appended = performance.now()
    const appendedAt = Date.now()
    plain.push((await notified) - appended)
    const webhook = await eventually(
      () => world.webhooks().find(({ data }) => data?.messageId === messageId) ?? false,
    )
    measured.push(webhook.request.receivedAt.getTime() - appendedAt)
  }
  await Promise.all([writer.logout(), watcher.logout()])
  return [50, 99].map((p) => ({
    what: `IMAP APPEND → webhook received, p${p}`,
    measured: percentile(measured, p),
    reference: percentile(plain, p),
    unit: ' ms',
    referenceIs: 'plain client in IDLE receives EXISTS',
  }))
}
