import {
  fieldError,
  validationError,
  maxRecipients,
  type SubmissionResult,
} from '@posthorn/contracts'
import { formatMessageId, newMessageId } from '@posthorn/mime'
import { blockedRecipients } from '../../store/lists.ts'
import { type Mailbox, senderOf } from '../../composing/sender.ts'
import {
  addressCopy,
  composeCopy,
  type ComposedCopy,
  type ComposeTools,
  prepareRaw,
} from '../../composing/compose-copy.ts'
import type { ResolvedSubmission } from '../../composing/resolve-submission.ts'
import {
  type OutboxWriter,
  type OutboxWriterDeps,
  type SendOptions,
  sendTime,
} from './outbox-writer.ts'

export interface SubmitTools extends ComposeTools, Pick<OutboxWriterDeps, 'db'> {
  queue: OutboxWriter
}

/** Queues the one message of a submission; in a dry run, shows it. */
export async function submitSingle(
  tools: SubmitTools,
  gathered: ResolvedSubmission,
  sending: SendOptions,
): Promise<SubmissionResult> {
  const { submission, reference } = gathered
  const told = reference ? { reference } : {}
  const opened = submission.raw === undefined ? undefined : prepareRaw(gathered, given(gathered))
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
    return tools.queue.writeOne(
      undefined,
      { response: 'Not queued: the recipient has left the list', ...answer, ...skipped },
      sending.idempotencyKey,
    )
  const row = (await tools.queue.rowFactory(sending))(message, sendAt)
  const { queueId } = row
  return tools.queue.writeOne(
    row,
    { response: 'Queued for delivery', ...answer, queueId },
    sending.idempotencyKey,
  )
}

function given({ submission: { headers } }: ResolvedSubmission) {
  return headers ? { headers } : {}
}

interface Found {
  opened: ComposedCopy | undefined
  recipients: readonly Mailbox[]
}

function composed(
  tools: SubmitTools,
  gathered: ResolvedSubmission,
  { opened, recipients }: Found,
): ComposedCopy | Promise<ComposedCopy> {
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
function recipientsOf(gathered: ResolvedSubmission): Mailbox[] {
  const { draft } = addressCopy(gathered, {}, {})
  const { to = [], cc = [], bcc = [] } = draft
  const named = new Map(
    [...to, ...cc, ...bcc].toReversed().map((mailbox) => [mailbox.address.toLowerCase(), mailbox]),
  )
  const { envelope } = gathered.submission
  if (!envelope?.to) return [...named.values()]
  const addresses = new Map(envelope.to.map((address) => [address.toLowerCase(), address]))
  return [...addresses].map(([key, address]) => ({ ...named.get(key), address }))
}

function assertRecipients(
  { submission }: ResolvedSubmission,
  recipients: readonly Mailbox[],
): void {
  const { raw, envelope, listId } = submission
  const field = envelope?.to ? 'envelope.to' : raw === undefined ? 'to' : 'raw'
  if (recipients.length === 0)
    throw validationError([fieldError(field, 'must name at least one recipient')])
  if (recipients.length > maxRecipients)
    throw validationError([
      fieldError(field, `must not name more than ${maxRecipients} recipients`),
    ])
  if (listId !== undefined && recipients.length > 1)
    throw validationError([
      fieldError('listId', 'is for messages to one recipient, or for "mailMerge"'),
    ])
}

/** Set where the one recipient has left the list. */
async function skippedOf(
  { db }: SubmitTools,
  { submission: { listId } }: ResolvedSubmission,
  [recipient]: readonly Mailbox[],
): Promise<Pick<SubmissionResult, 'skipped'> | undefined> {
  if (listId === undefined || !recipient) return undefined
  const blocked = await blockedRecipients(db, listId, [recipient.address])
  const block = blocked.get(recipient.address)
  return block && { skipped: { reason: block.reason, listId } }
}
