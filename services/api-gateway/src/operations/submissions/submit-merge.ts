import type { MergeResult, Submission, SubmissionResult } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import { describeProblem } from '@posthorn/http'
import { formatMessageId, newMessageId } from '@posthorn/mime'
import type { NewSubmission } from '../../store/outbox.ts'
import { blockedRecipients } from '../../store/lists.ts'
import { senderOf } from '../../composing/sender.ts'
import { composeCopy, type ComposedCopy } from '../../composing/compose-copy.ts'
import type { ResolvedSubmission } from '../../composing/resolve-submission.ts'
import { type SendOptions, sendTime } from './outbox-writer.ts'
import type { SubmitTools } from './submit-single.ts'

type Entry = NonNullable<Submission['mailMerge']>[number]

/** What became of one recipient. */
interface Outcome {
  result: MergeResult
  row?: NewSubmission
  bytes: number
}

/** Messages that are in memory at once before they are stored; what fits is composed before anything is asked of Postgres. */
const maxHeldBytes = 16 * 1024 * 1024
/** Postgres takes 65,535 values a statement. */
const maxHeldRows = 1_000
/** Of the first so many recipients one must succeed: what fails for all of them fails for all. */
const tries = 3
/** A merge that takes longer holds up too much. */
const patienceMs = 60_000

/** Queues a message of its own for each recipient of a mail merge, in one transaction. What fails for one does not stop the others. */
export async function submitMerge(
  tools: SubmitTools,
  gathered: ResolvedSubmission,
  sending: SendOptions,
): Promise<SubmissionResult> {
  const { submission, reference } = gathered
  const told = reference ? { reference } : {}
  const outcomes = composeAll(tools, gathered, sending)
  if (submission.dryRun) return { ...(await preview(outcomes)), ...told }
  const first = await held(outcomes)
  const sendAt = sendTime(submission.sendAt).toISOString()
  return tools.queue.writeMany(sending.idempotencyKey, async (insert) => {
    const results: MergeResult[] = []
    for (let group = first; group.length > 0; group = await held(outcomes)) {
      await insert(group.flatMap(({ row }) => row ?? []))
      results.push(...group.map(({ result }) => result))
    }
    return { response: 'Queued for delivery', sendAt, ...told, mailMerge: results }
  })
}

/** The next messages, as many as may be in memory. */
async function held(outcomes: AsyncGenerator<Outcome>): Promise<Outcome[]> {
  const group: Outcome[] = []
  let bytes = 0
  while (bytes < maxHeldBytes && group.length < maxHeldRows) {
    const next = await outcomes.next()
    if (next.done) break
    group.push(next.value)
    bytes += next.value.bytes
  }
  return group
}

/** What each would get is told; the first message is shown. */
async function preview(outcomes: AsyncGenerator<Outcome>): Promise<SubmissionResult> {
  const results: MergeResult[] = []
  let shown: string | undefined
  for await (const { row, result } of outcomes) {
    shown ??= row?.mime?.toString('base64')
    const { queueId: _none, sendAt: _never, ...told } = result
    results.push(told)
  }
  return {
    response: 'Dry run',
    ...(shown === undefined ? {} : { preview: shown }),
    mailMerge: results,
  }
}

async function* composeAll(
  tools: SubmitTools,
  gathered: ResolvedSubmission,
  sending: SendOptions,
): AsyncGenerator<Outcome> {
  const { mailMerge = [], listId = '', sendAt } = gathered.submission
  const addresses = mailMerge.map(({ to }) => to.address)
  const blocked =
    listId === ''
      ? new Map<string, { reason: string }>()
      : await blockedRecipients(tools.db, listId, addresses)
  const rowOf = await tools.queue.rowFactory(sending)
  const patience = AbortSignal.timeout(patienceMs)
  let succeeded = 0
  let failed = 0
  for (const entry of mailMerge) {
    const block = blocked.get(entry.to.address)
    if (block) {
      const skipped = { reason: block.reason, listId }
      yield { result: { success: true, to: entry.to, skipped }, bytes: 0 }
      continue
    }
    if (patience.aborted)
      throw new AppError('unprocessable', 'The mail merge takes too long; split it')
    const composed = await composeFor(tools, gathered, entry)
    if (composed instanceof AppError) {
      failed += 1
      if (succeeded === 0 && failed === tries) throw composed
      yield { result: failure(entry, composed), bytes: 0 }
      continue
    }
    succeeded += 1
    const row = rowOf(composed, sendTime(entry.sendAt ?? sendAt))
    yield { row, result: success(entry, row), bytes: composed.mime.length }
  }
  return undefined
}

/** Its message, or what is wrong with it. What goes wrong for all, such as that something is away, is thrown. */
async function composeFor(
  tools: SubmitTools,
  gathered: ResolvedSubmission,
  { to, messageId, params = {} }: Entry,
): Promise<ComposedCopy | AppError> {
  try {
    return await composeCopy(tools, gathered, {
      messageId:
        messageId === undefined
          ? newMessageId(senderOf(gathered.submission, gathered.owner))
          : formatMessageId(messageId),
      params,
      recipient: to,
      isMerged: true,
    })
  } catch (error) {
    const own = ['invalid', 'unprocessable', 'too-large']
    if (error instanceof AppError && own.includes(error.kind)) return error
    throw error
  }
}

function success({ to }: Entry, { queueId, messageId, sendAt }: NewSubmission): MergeResult {
  const when = sendAt ? { sendAt: sendAt.toISOString() } : {}
  return { success: true, to, messageId, queueId, ...when }
}

function failure({ to }: Entry, error: AppError): MergeResult {
  const { status } = describeProblem(error)
  return {
    success: false,
    to,
    error: error.message,
    ...(error.code === undefined ? {} : { code: error.code }),
    statusCode: status,
  }
}
