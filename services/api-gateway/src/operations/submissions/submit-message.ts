import type { Bus } from '@posthorn/bus'
import { fieldError, invalid, operations, parseDate, type Submission } from '@posthorn/contracts'
import { type Db, newQueueId, type SettingsCache } from '@posthorn/db'
import { composeMessage } from '@posthorn/mime'
import type { Afterwards } from '../../afterwards.ts'
import { getSendingAccount } from '../../store/accounts.ts'
import { insertSubmissions } from '../../store/outbox.ts'
import { handle } from '../handle.ts'
import { assertCanSend } from './can-send.ts'

export interface Deps {
  db: Db
  /** Connections of their own: a message may take longer to store than anything else may take. */
  outbox: Db
  bus: Bus
  settings: SettingsCache
  afterwards: Afterwards
}

/** Takes a message for sending. It is stored before we answer; the hint only saves the sender's sweep its time. */
export function onSubmitMessage({ db, outbox, bus, settings, afterwards }: Deps) {
  const insertSubmission = insertSubmissions(outbox)
  return handle(operations.submitMessage, async ({ params: { account }, body }) => {
    const sending = await getSendingAccount(db, account)
    assertCanSend(sending)
    assertRecipients(body)
    const { mime, messageId, envelope } = await composeMessage(body, {
      from: senderOf(body, sending),
    })
    const { deliveryAttempts } = await settings.get()
    const now = new Date()
    const sendAt = sendTime(body, now)
    const queueId = newQueueId(now.getTime())
    await insertSubmission({
      queueId,
      account,
      shard: sending.shard,
      source: 'api',
      messageId,
      envelope: JSON.stringify(envelope),
      subject: body.subject ?? null,
      mime,
      sendAt,
      nextAttemptAt: sendAt,
      maxAttempts: body.deliveryAttempts ?? deliveryAttempts ?? 10,
    })
    if (sendAt <= now) afterwards.do(bus.publishHint('sender.submissions', { queueId }))
    return { response: 'Queued for delivery', messageId, sendAt: sendAt.toISOString(), queueId }
  })
}

function assertRecipients({ to, cc, bcc, envelope }: Submission): void {
  // An envelope that is given is used as it is.
  const recipients = envelope?.to ?? [...(to ?? []), ...(cc ?? []), ...(bcc ?? [])]
  if (recipients.length === 0)
    throw invalid([
      fieldError(envelope?.to ? 'envelope.to' : 'to', 'must name at least one recipient'),
    ])
}

/** Who the message is from, where it does not say so itself. */
function senderOf({ from }: Submission, { name, email }: { name: string; email: string | null }) {
  if (from) return from
  if (email === null)
    throw invalid([fieldError('from', 'is required, as the account has no address')])
  return { name, address: email }
}

/** A time that has passed means now. */
function sendTime({ sendAt }: Submission, now: Date): Date {
  const asked = sendAt === undefined ? undefined : parseDate(sendAt)
  return asked && asked > now ? asked : now
}
