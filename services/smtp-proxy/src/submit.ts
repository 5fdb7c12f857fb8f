import type { Bus } from '@posthorn/bus'
import { type Db, newQueueId, type SettingsCache } from '@posthorn/db'
import type { Logger } from '@posthorn/telemetry'
import { checkSender, type User } from './access.ts'
import { prepareMessage } from './prepare-message.ts'
import { Refusal } from './refusal.ts'
import { insertSubmission } from './store/outbox.ts'

export interface SubmitDeps {
  db: Db
  bus: Pick<Bus, 'publishHint'>
  settings: SettingsCache
  log: Logger
}

export interface Submitted {
  envelope: { from: string; to: string[] }
  message: Buffer
}

/** Stores a message to be sent. What it answers is a promise: the row is committed. */
export async function submit(
  { db, bus, settings, log }: SubmitDeps,
  user: User,
  { envelope, message }: Submitted,
): Promise<string> {
  const { account } = user
  const { shard } = await checkSender(db, user)
  const { deliveryAttempts = 10 } = await settings.get()
  const now = new Date()
  const { mime, messageId, subject } = prepareMessage(message, { from: envelope.from, now })
  const queueId = newQueueId(now.getTime())
  const stored = await insertSubmission(db, {
    queueId,
    account,
    shard,
    source: 'smtp',
    messageId,
    subject,
    envelope: JSON.stringify(envelope),
    mime,
    maxAttempts: deliveryAttempts,
  })
  if (!stored) throw new Refusal(550, 'Sending is not enabled for this account')
  // The sender's sweep finds the row without it, only later.
  bus
    .publishHint('sender.submissions', { queueId })
    .catch((err: unknown) => log.debug({ err, queueId }, 'no hint'))
  log.info({ account, queueId, bytes: mime.length, recipients: envelope.to.length }, 'queued')
  return `Message queued for delivery as ${queueId} (${now.toISOString()})`
}
