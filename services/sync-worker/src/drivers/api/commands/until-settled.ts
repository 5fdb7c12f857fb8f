import { isMailApiError } from '@posthorn/backends/mail-api'
import { AppError } from '@posthorn/errors'
import { backoff, sleep } from '@posthorn/flow'
import type { ApiCommand } from './api-command.ts'

/**
 * Maximum repeats of a command, about 2 s: replicas of a provider may lack a new message for this
 * time.
 */
const maxRepeats = 3
const delayOf = backoff({ baseMs: 250, maxMs: 1_000, jitter: 0.3 })

/**
 * Repeats a command about one message within the deadline of the command while the message is
 * missing or incomplete. A replica of the provider may not have a message yet that a notification
 * announced.
 */
export function untilSettled<T>(
  work: (command: ApiCommand) => Promise<T>,
  mayPass: (error: unknown) => boolean = isLate,
): (command: ApiCommand) => Promise<T> {
  return async (command) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work(command)
      } catch (error) {
        const delayMs = delayOf(attempt)
        const isLast = attempt > maxRepeats || Date.now() + delayMs >= command.deadline
        if (isLast || !mayPass(error)) throw error
        await sleep(delayMs, command.signal)
      }
    }
  }
}

/**
 * Repeats a read within the deadline until its result is as expected: a replica of the provider may
 * not have a change yet. Otherwise returns the result of the last read.
 */
export async function untilExpected<T>(
  { deadline, signal }: Pick<ApiCommand, 'deadline' | 'signal'>,
  read: () => Promise<T>,
  isExpected: (result: T) => boolean,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const result = await read()
    const delayMs = delayOf(attempt)
    const isLast = attempt > maxRepeats || Date.now() + delayMs >= deadline
    if (isLast || isExpected(result)) return result
    await sleep(delayMs, signal)
  }
}

/** True for errors about a message that is missing, or whose description lacks a part. */
function isLate(error: unknown): boolean {
  const isMissing = error instanceof AppError && error.code === 'MessageNotFound'
  return isMissing || isIncomplete(error)
}

/** True for the error of a provider's response that lacks a part. */
export function isIncomplete(error: unknown): boolean {
  return isMailApiError(error) && error.incomplete
}
