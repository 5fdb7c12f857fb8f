import { addressKey } from '@posthorn/contracts/address-key'
import { defined } from '@posthorn/contracts/defined'
import { fieldError } from '@posthorn/contracts/describe-error'
import { operations } from '@posthorn/contracts/operations'
import { maxRecipients } from '@posthorn/contracts/schemas/content'
import type { SubmissionResult } from '@posthorn/contracts/schemas/submission'
import { validationError } from '@posthorn/contracts/validate'
import { sendsByApi } from '@posthorn/db'
import {
  addressCopy,
  composeCopy,
  type ComposedCopy,
  createMessageLinks,
  prepareRaw,
} from '../../composing/compose-copy.ts'
import {
  type ResolveDeps,
  type ResolvedSubmission,
  resolveSubmission,
} from '../../composing/resolve-submission.ts'
import type { Mailbox } from '../../composing/references.ts'
import { handle } from '../../http/handle.ts'
import { blockedRecipients } from '../../store/lists/lists.ts'
import { idempotencyKeyOf } from '../../store/messages/idempotency-keys.ts'
import type { OperationDeps } from '../operation-deps.ts'
import { assertProxyAllowed, checkSubmission } from './check-submission.ts'
import { getSender, type OutboxWriter, type SendOptions, sendTime } from './outbox-writer.ts'
import { messageIdOf, submitMerge, type SubmitTools } from './submit-merge.ts'

type SubmitDeps = ResolveDeps & Pick<OperationDeps, 'links' | 'renderer'>

/**
 * Stores messages for sending. The response confirms the storage. If the hint (bus message) to the
 * senders is lost, sending starts later.
 */
export function onSubmitMessage(deps: SubmitDeps, writer: OutboxWriter) {
  const { db, renderer } = deps
  return handle(operations.submitMessage, async (input) => {
    const { params, query, body: submission } = input
    checkSubmission(submission)
    assertProxyAllowed(submission, input.caller)
    const idempotencyKey = submission.dryRun ? undefined : idempotencyKeyOf('submitMessage', input)
    const earlier = await writer.findResponse(idempotencyKey)
    if (earlier) return earlier
    const owner = await getSender(db, params.account, submission)
    const { useStructuredFormat = false } = query
    if (useStructuredFormat && !sendsByApi(owner, submission.gateway))
      throw validationError([fieldError('useStructuredFormat', 'is for accounts on a mail API')])
    using held = new DisposableStack()
    const resolved = await resolveSubmission(deps, input, { owner, held })
    const options = { ...sendOptionsOf(resolved), idempotencyKey, useStructuredFormat }
    const tools = { db, writer, renderer, links: await createMessageLinks(deps, resolved) }
    const submitResolved = submission.mailMerge ? submitMerge : submitSingle
    return await submitResolved(tools, resolved, options)
  })
}

function sendOptionsOf(resolved: ResolvedSubmission): SendOptions {
  const { account, owner, submission, original, read } = resolved
  const { message, action = 'reply' } = submission.reference ?? {}
  const isFiled = original && message !== undefined
  const filing = isFiled ? { reference: { message, action } } : {}
  const thread = action === 'forward' ? undefined : original?.threadId
  return { account, read, owner, options: submission, filing, thread }
}

/**
 * Stores the only message of a submission. For a dry run (test without sending), returns the bytes
 * of the message instead.
 */
async function submitSingle(
  tools: SubmitTools,
  resolved: ResolvedSubmission,
  options: SendOptions,
): Promise<SubmissionResult> {
  const { submission, reference } = resolved
  const headers = defined({ headers: submission.headers })
  const raw = submission.raw === undefined ? undefined : await prepareRaw(resolved, headers)
  const recipients = raw
    ? raw.envelope.to.map((address) => ({ address }))
    : await recipientsOf(resolved)
  assertRecipients(resolved, recipients)
  const skipped = await findSkipped(tools, resolved, recipients)
  const message = await composeMessage(tools, resolved, { raw, recipients })
  const { messageId } = message
  const details = defined({ reference, skipped })
  if (submission.dryRun)
    return { response: 'Dry run', messageId, preview: message.mime.toString('base64'), ...details }
  const sendAt = sendTime(submission.sendAt)
  const result = { messageId, sendAt: sendAt.toISOString(), ...details }
  const { idempotencyKey } = options
  if (skipped) {
    const response = 'Not queued: the recipient has left the list'
    return tools.writer.writeOne(undefined, { response, ...result }, idempotencyKey)
  }
  const createRow = await tools.writer.rowFactory(options)
  const row = await createRow(message, sendAt)
  const queued = { response: 'Queued for delivery', ...result, queueId: row.queueId }
  return tools.writer.writeOne(row, queued, idempotencyKey)
}

function composeMessage(
  tools: SubmitTools,
  resolved: ResolvedSubmission,
  { raw, recipients }: { raw: ComposedCopy | undefined; recipients: readonly Mailbox[] },
): ComposedCopy | Promise<ComposedCopy> {
  const { submission } = resolved
  if (raw && submission.listId === undefined) return raw
  const recipient = recipients.length === 1 ? recipients[0] : undefined
  const messageId = submission.messageId ?? raw?.messageId
  return composeCopy(tools, resolved, {
    messageId: messageIdOf(resolved, messageId),
    params: (submission.render && submission.render.params) || {},
    ...defined({ recipient }),
  })
}

/** All recipients of a submission's message, without duplicates. */
async function recipientsOf(resolved: ResolvedSubmission): Promise<Mailbox[]> {
  const { draft } = await addressCopy(resolved, {}, {})
  const { to = [], cc = [], bcc = [] } = draft
  const named = new Map(
    [...to, ...cc, ...bcc].toReversed().map((mailbox) => [addressKey(mailbox.address), mailbox]),
  )
  const { envelope } = resolved.submission
  if (!envelope?.to) return [...named.values()]
  const addresses = new Map(envelope.to.map((address) => [addressKey(address), address]))
  return [...addresses].map(([key, address]) => ({ ...named.get(key), address }))
}

function assertRecipients({ submission }: ResolvedSubmission, recipients: readonly Mailbox[]) {
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

/**
 * Finds the blocklist entry of a submission's only recipient. Undefined if the recipient is not
 * blocked.
 */
async function findSkipped(
  { db }: SubmitTools,
  { account, submission: { listId } }: ResolvedSubmission,
  [recipient]: readonly Mailbox[],
): Promise<SubmissionResult['skipped']> {
  if (listId === undefined || !recipient) return undefined
  const blocked = await blockedRecipients(db, { account, listId }, [recipient.address])
  const block = blocked.get(recipient.address)
  return block && { reason: block.reason, listId }
}
