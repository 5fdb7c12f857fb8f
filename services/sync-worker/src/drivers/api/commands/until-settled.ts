import { isMailApiError } from '@posthorn/backends/mail-api'
import { AppError } from '@posthorn/errors'
import { backoff, sleep } from '@posthorn/flow'
import type { ApiCommand } from './api-command.ts'

/**
 * Maximum number of repetitions of a command, which take about 2 s. A provider's replica may lack a
 * new message for this time.
 */
const maxRepeats = 3
const delayOf = backoff({ baseMs: 250, maxMs: 1_000, jitter: 0.3 })

/**
 * Repeats a command about one message while the message is missing, or the provider's response is
 * incomplete or malformed, at most until the command's deadline. A replica of the provider may
 * still lack a message that a notification announced.
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
 * Repeats a read at a mail API until its result is as expected, at most until the command's
 * deadline. A replica of the provider may still lack a change. After the last attempt, returns the
 * result in any case.
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

/**
 * True for the error of a missing message, or of an incomplete or malformed response of a mail API.
 */
function isLate(error: unknown): boolean {
  const isMissing = error instanceof AppError && error.code === 'MessageNotFound'
  return isMissing || isIncomplete(error)
}

/** True for the error of a mail API response in which a member is missing or has a wrong type. */
export function isIncomplete(error: unknown): boolean {
  return isMailApiError(error) && error.incomplete
}
