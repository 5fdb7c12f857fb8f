import { fieldLines } from '../../io/fields.ts'
import type { RunCommand } from '../../program/command.ts'

/** Command `outbox show`: prints a submission of the outbox. */
export const showEntry: RunCommand = async ({ posthorn, output, signal }, args) => {
  const [queueId = ''] = args
  const client = await posthorn()
  const entry = await client.getOutboxEntry({ queueId }, { signal })
  const { progress, envelope } = entry
  const { error } = progress
  await output.result(
    entry,
    fieldLines([
      ['queue id', entry.queueId],
      ['account', entry.account],
      ['state', entry.state],
      ['step', progress.status],
      ['attempts', `${entry.attemptsMade} of ${entry.attempts}`],
      ['next attempt', entry.nextAttempt || undefined],
      ['last error', error && [error.code, error.message].filter(Boolean).join(': ')],
      ['response', progress.response],
      ['created', entry.created],
      ['scheduled', entry.scheduled],
      ['from', envelope.from],
      ['to', envelope.to.join(', ')],
      ['subject', entry.subject],
      ['message-id', entry.messageId],
      ['gateway', entry.gateway],
      ['idempotency key', entry.idempotencyKey],
    ]),
  )
}
