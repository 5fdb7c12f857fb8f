import type { Bus } from '@posthorn/bus'
import { changeOutbox } from '@posthorn/contracts/commands/outbox'
import type { CommandRequest } from '@posthorn/contracts/define'
import { AppError } from '@posthorn/errors'
import { submissionNotFound } from '../store/messages/outbox.ts'

export type SubmissionChange = CommandRequest<typeof changeOutbox>

/**
 * Sends a sender the command to change a submission, because only senders change stored
 * submissions.
 *
 * @throws AppError `not-found`; `invalid` `UnsupportedOperation` while an attempt to send runs;
 * `unavailable` or `timeout`
 */
export async function changeSubmission(
  bus: Bus,
  change: SubmissionChange,
  limits: { timeoutMs: number; signal: AbortSignal },
): Promise<void> {
  const { result } = await bus.request(changeOutbox, change, { key: 'outbox', ...limits })
  if (result === 'missing') throw submissionNotFound()
  if (result === 'busy')
    throw new AppError('invalid', 'The message is being sent, retry later', {
      code: 'UnsupportedOperation',
    })
}
