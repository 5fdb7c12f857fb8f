import type { Posthorn, PosthornError } from '@posthorn/client'
import { CommandError } from '../../exit-codes.ts'
import { fieldLines } from '../../io/fields.ts'
import { waitUntil } from '../../io/wait-until.ts'
import type { CommandContext, RunCommand } from '../../program/command.ts'
import { composeSubmission, type SendOptions } from './compose-submission.ts'

/** Command `send`: submits a message. */
export const sendMessage: RunCommand = async (context, args, values) => {
  const { posthorn, output, signal } = context
  const [account = ''] = args
  const options = values as SendOptions
  const { idempotencyKey, wait } = options
  const body = await composeSubmission(options, context)
  const client = await posthorn()
  const result = await client.submitMessage(
    { account, body, ...(idempotencyKey !== undefined && { idempotencyKey }) },
    { signal },
  )
  const { queueId, messageId, sendAt, idempotency } = result
  const isRepeat = idempotency?.status === 'HIT'
  if (!wait || queueId === undefined)
    return output.result(
      result,
      fieldLines([
        ['queued', isRepeat ? 'before: this is a repeat' : 'now'],
        ['queue id', queueId],
        ['message-id', messageId],
        ['send at', sendAt],
      ]),
    )
  context.progress.note(`queued ${queueId}`)
  const sent = await waitUntilSent(context, client, queueId).catch((error: unknown) => {
    throw explainWait(error, queueId)
  })
  const { response, messageId: sentId } = sent.progress
  await output.result(
    sent,
    fieldLines([
      ['sent', response],
      ['queue id', queueId],
      ['message-id', sentId ?? messageId],
    ]),
  )
}

/**
 * Waits until a message is sent. The message stays in the outbox if the wait is interrupted.
 *
 * @throws CommandError if the message has failed
 */
async function waitUntilSent(
  { progress, signal }: CommandContext,
  client: Posthorn,
  queueId: string,
) {
  return waitUntil(
    async () => {
      const entry = await client.getOutboxEntry({ queueId }, { signal, retryForMs: 30_000 })
      const { state, attemptsMade, attempts, nextAttempt, progress: step } = entry
      const reason = step.error?.message
      if (state === 'sent') return entry
      if (state === 'failed' || state === 'bounced')
        throw new CommandError(
          `the message ${queueId} ${state}: ${reason ?? step.response ?? 'no reason known'}`,
        )
      const next = nextAttempt === false ? '' : `, next attempt ${nextAttempt}`
      const error = reason === undefined ? '' : `, ${reason}`
      progress.show(`${state}, attempt ${attemptsMade} of ${attempts}${next}${error}`)
      return undefined
    },
    { signal },
  )
}

/**
 * Explains an error of `send --wait`: with a token that may not read the outbox, the message is
 * queued, but the command cannot wait for the result.
 */
function explainWait(error: unknown, queueId: string): unknown {
  const { name, status } = error as Partial<PosthornError>
  if (name !== 'PosthornError' || status !== 403) return error
  return new CommandError(
    `the message ${queueId} is queued, but the token does not permit the wait for the result: leave out --wait`,
  )
}
