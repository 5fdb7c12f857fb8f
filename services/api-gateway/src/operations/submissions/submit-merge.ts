import { defined } from '@posthorn/contracts/defined'
import type {
  MergeResult,
  Submission,
  SubmissionResult,
} from '@posthorn/contracts/schemas/submission'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { describeProblem } from '@posthorn/http'
import { formatMessageId, newMessageId } from '@posthorn/mime'
import {
  composeCopy,
  type ComposedCopy,
  type ComposeTools,
  senderOf,
} from '../../composing/compose-copy.ts'
import type { ResolvedSubmission } from '../../composing/resolve-submission.ts'
import { blockedRecipients } from '../../store/lists/lists.ts'
import type { NewSubmission } from '../../store/messages/outbox.ts'
import { type OutboxWriter, type SendOptions, sendTime } from './outbox-writer.ts'

/** Objects that are needed to store a submission, which is one message or a mail merge. */
export interface SubmitTools extends ComposeTools {
  db: Db
  writer: OutboxWriter
}

type Entry = NonNullable<Submission['mailMerge']>[number]

/** Outcome of a mail merge for one recipient. */
interface MergeOutcome {
  result: MergeResult
  row?: NewSubmission
  bytes: number
}

/**
 * Maximum size of a batch of mail merge messages. The first batch is composed completely before
 * Postgres is used.
 */
const maxBatchBytes = 16 * 1024 * 1024
/** Maximum messages per insert of a mail merge. Postgres allows 65,535 parameters per statement. */
const maxBatchRows = 1_000
/**
 * Number of first recipients of a mail merge. If the messages of all these recipients fail, the
 * cause concerns every recipient, and the whole request fails.
 */
const maxFirstFailures = 3
/**
 * Time limit of a mail merge. A longer merge would occupy a Postgres connection and a transaction
 * for too long.
 */
const maxMergeMs = 60_000

/**
 * Stores one message per recipient of a mail merge in one transaction. A failed message does not
 * affect other messages.
 */
export async function submitMerge(
  tools: SubmitTools,
  resolved: ResolvedSubmission,
  options: SendOptions,
): Promise<SubmissionResult> {
  const { submission, reference } = resolved
  const details = defined({ reference })
  const outcomes = composeAll(tools, resolved, options)
  if (submission.dryRun) return { ...(await preview(outcomes)), ...details }
  const first = await nextBatch(outcomes)
  const sendAt = sendTime(submission.sendAt).toISOString()
  return tools.writer.writeMany(options.idempotencyKey, async (insert) => {
    const results: MergeResult[] = []
    for (let batch = first; batch.length > 0; batch = await nextBatch(outcomes)) {
      await insert(batch.flatMap(({ row }) => row ?? []))
      results.push(...batch.map(({ result }) => result))
    }
    return { response: 'Queued for delivery', sendAt, ...details, mailMerge: results }
  })
}

/** Collects the next outcomes of a mail merge, up to the limits of a batch. */
async function nextBatch(outcomes: AsyncGenerator<MergeOutcome>): Promise<MergeOutcome[]> {
  const batch: MergeOutcome[] = []
  let bytes = 0
  while (bytes < maxBatchBytes && batch.length < maxBatchRows) {
    const next = await outcomes.next()
    if (next.done) break
    batch.push(next.value)
    bytes += next.value.bytes
  }
  return batch
}

/**
 * Response to a mail merge that is only tested (dry run): the outcomes of all recipients with the
 * bytes of the first message.
 */
async function preview(outcomes: AsyncGenerator<MergeOutcome>): Promise<SubmissionResult> {
  const mailMerge: MergeResult[] = []
  let first: string | undefined
  for await (const { row, result } of outcomes) {
    first ??= row?.mime?.toString('base64')
    const { queueId: _queueId, sendAt: _sendAt, ...rest } = result
    mailMerge.push(rest)
  }
  return { response: 'Dry run', ...defined({ preview: first }), mailMerge }
}

async function* composeAll(
  tools: SubmitTools,
  resolved: ResolvedSubmission,
  options: SendOptions,
): AsyncGenerator<MergeOutcome> {
  const { mailMerge = [], listId = '', sendAt } = resolved.submission
  const addresses = listId === '' ? [] : mailMerge.map(({ to }) => to.address)
  const blocked = await blockedRecipients(
    tools.db,
    { account: resolved.account, listId },
    addresses,
  )
  const createRow = await tools.writer.rowFactory(options)
  const timeout = AbortSignal.timeout(maxMergeMs)
  let succeeded = 0
  let failed = 0
  for (const entry of mailMerge) {
    const block = blocked.get(entry.to.address)
    if (block) {
      const skipped = { reason: block.reason, listId }
      yield { result: { success: true, to: entry.to, skipped }, bytes: 0 }
      continue
    }
    if (timeout.aborted)
      throw new AppError('unprocessable', 'The mail merge takes too long; split it')
    const composed = await composeEntry(tools, resolved, entry)
    if (composed instanceof AppError) {
      failed += 1
      if (succeeded === 0 && failed === maxFirstFailures) throw composed
      yield { result: failureResult(entry, composed), bytes: 0 }
      continue
    }
    succeeded += 1
    const row = await createRow(composed, sendTime(entry.sendAt ?? sendAt))
    yield { row, result: successResult(entry, row), bytes: composed.mime.length }
  }
}

/**
 * Composes the mail merge message of one recipient. Returns errors of the message and throws all
 * other errors.
 */
async function composeEntry(
  tools: SubmitTools,
  resolved: ResolvedSubmission,
  { to: recipient, messageId, params = {} }: Entry,
): Promise<ComposedCopy | AppError> {
  try {
    const copy = { messageId: messageIdOf(resolved, messageId), params, recipient }
    return await composeCopy(tools, resolved, { ...copy, isMerged: true })
  } catch (error) {
    const recipientKinds = ['invalid', 'unprocessable', 'too-large']
    if (error instanceof AppError && recipientKinds.includes(error.kind)) return error
    throw error
  }
}

/**
 * Message-ID of a submitted message: from the request, or a new Message-ID in the domain of the
 * sender.
 */
export function messageIdOf(
  { submission, owner }: ResolvedSubmission,
  messageId: string | undefined,
): string {
  if (messageId !== undefined) return formatMessageId(messageId)
  return newMessageId(senderOf(submission, owner))
}

function successResult({ to }: Entry, { queueId, messageId, sendAt }: NewSubmission): MergeResult {
  const time = sendAt ? { sendAt: sendAt.toISOString() } : {}
  return { success: true, to, messageId, queueId, ...time }
}

function failureResult({ to }: Entry, error: AppError): MergeResult {
  const { message, code } = error
  const { status } = describeProblem(error)
  return { success: false, to, error: message, ...defined({ code }), statusCode: status }
}
