import { fieldError, invalid, maxRecipients, type SubmissionResult } from '@posthorn/contracts'
import { formatMessageId, newMessageId } from '@posthorn/mime'
import { blockedRecipients } from '../../store/lists.ts'
import { type Mailbox, senderOf } from '../composing/sender.ts'
import {
  addressed,
  composeCopy,
  type Composed,
  type ComposeTools,
  openRaw,
} from './compose-copy.ts'
import type { Gathered } from './gather.ts'
import { type Queue, type QueueDeps, type Sending, sendTime } from './queue.ts'

export interface SubmitTools extends ComposeTools, Pick<QueueDeps, 'db'> {
  queue: Queue
}

/** Queues the one message of a submission; in a dry run, shows it. */
export async function submitSingle(
  tools: SubmitTools,
  gathered: Gathered,
  sending: Sending,
): Promise<SubmissionResult> {
  const { submission, reference } = gathered
  const told = reference ? { reference } : {}
  const opened = submission.raw === undefined ? undefined : openRaw(gathered, given(gathered))
  const recipients = opened
    ? opened.envelope.to.map((address) => ({ address }))
    : recipientsOf(gathered)
  assertRecipients(gathered, recipients)
  const skipped = await skippedOf(tools, gathered, recipients)
  const message = await composed(tools, gathered, { opened, recipients })
  const { messageId } = message
  if (submission.dryRun) {
    const preview = message.mime.toString('base64')
    return { response: 'Dry run', messageId, preview, ...told, ...skipped }
  }
  const sendAt = sendTime(submission.sendAt)
  const answer = { messageId, sendAt: sendAt.toISOString(), ...told }
  if (skipped)
    return tools.queue.one(
      undefined,
      { response: 'Not queued: the recipient has left the list', ...answer, ...skipped },
      sending.once,
    )
  const row = (await tools.queue.rows(sending))(message, sendAt)
  const { queueId } = row
  return tools.queue.one(row, { response: 'Queued for delivery', ...answer, queueId }, sending.once)
}

function given({ submission: { headers } }: Gathered) {
  return headers ? { headers } : {}
}

interface Found {
  opened: Composed | undefined
  recipients: readonly Mailbox[]
}

function composed(
  tools: SubmitTools,
  gathered: Gathered,
  { opened, recipients }: Found,
): Composed | Promise<Composed> {
  const { submission, owner } = gathered
  if (opened && submission.listId === undefined) return opened
  const [recipient] = recipients.length === 1 ? recipients : []
  const asked = submission.messageId ?? opened?.messageId
  return composeCopy(tools, gathered, {
    messageId:
      asked === undefined ? newMessageId(senderOf(submission, owner)) : formatMessageId(asked),
    params: (submission.render ? submission.render.params : undefined) ?? {},
    ...(recipient ? { recipient } : {}),
  })
}

/** Everybody who gets the message, once. */
function recipientsOf(gathered: Gathered): Mailbox[] {
  const { draft } = addressed(gathered, {}, {})
  const { to = [], cc = [], bcc = [] } = draft
  const named = new Map(
    [...to, ...cc, ...bcc].toReversed().map((mailbox) => [mailbox.address.toLowerCase(), mailbox]),
  )
  const { envelope } = gathered.submission
  if (!envelope?.to) return [...named.values()]
  const addresses = new Map(envelope.to.map((address) => [address.toLowerCase(), address]))
  return [...addresses].map(([key, address]) => ({ ...named.get(key), address }))
}

function assertRecipients({ submission }: Gathered, recipients: readonly Mailbox[]): void {
  const { raw, envelope, listId } = submission
  const field = envelope?.to ? 'envelope.to' : raw === undefined ? 'to' : 'raw'
  if (recipients.length === 0)
    throw invalid([fieldError(field, 'must name at least one recipient')])
  if (recipients.length > maxRecipients)
    throw invalid([fieldError(field, `must not name more than ${maxRecipients} recipients`)])
  if (listId !== undefined && recipients.length > 1)
    throw invalid([fieldError('listId', 'is for messages to one recipient, or for "mailMerge"')])
}

/** Set where the one recipient has left the list. */
async function skippedOf(
  { db }: SubmitTools,
  { submission: { listId } }: Gathered,
  [recipient]: readonly Mailbox[],
): Promise<Pick<SubmissionResult, 'skipped'> | undefined> {
  if (listId === undefined || !recipient) return undefined
  const blocked = await blockedRecipients(db, listId, [recipient.address])
  const block = blocked.get(recipient.address)
  return block && { skipped: { reason: block.reason, listId } }
}
