import { sleep } from './sleep.ts'

/**
 * Time from the timeout of an operation to the report of a hidden failure (a failure whose time
 * must not reveal its cause). The operation needs this time to end after its timeout.
 */
const marginMs = 1_000

export interface FailureHold {
  /**
   * Timeout of the operation whose failures may be hidden. A failure whose time must not reveal its
   * cause is reported 1 s after this timeout.
   */
  timeoutMs: number
  /**
   * Signal that aborts an operation whose failures may be hidden, and also the delay before the
   * report of a failure.
   */
  signal: AbortSignal
  /**
   * Function that returns true for a hidden failure: the time of its report must not reveal the
   * cause of the failure.
   */
  isHidden: (error: unknown) => boolean
  /**
   * Called when the delay before the report of an operation's hidden failure begins, so that the
   * caller can release resources.
   */
  onHeld?: (() => void) | undefined
  /**
   * Returns the error to throw if an operation whose failures may be hidden failed after its
   * timeout. Defaults to the operation's own error.
   */
  timeoutError?: (cause: unknown) => unknown
  /**
   * Returns the error to throw if the caller aborted an operation whose failures may be hidden.
   * Defaults to the operation's error, or the reason of the signal.
   */
  abortError?: (cause: unknown) => unknown
}

/**
 * Runs an operation and delays the report of hidden failures, whose time would reveal their cause.
 * Example: in a connection to a server that a tenant has chosen, a closed port fails earlier than a
 * silent port. A hidden failure is always reported 1 s after the timeout, which is counted from the
 * start of the operation. Results and other failures are reported immediately.
 *
 * @throws the error of the operation, the reason of the signal if the delay is aborted, or the
 * error that `timeoutError` or `abortError` returns
 */
export async function holdFailure<T>(
  work: (signal: AbortSignal) => Promise<T>,
  hold: FailureHold,
): Promise<T> {
  const { signal, abortError } = hold
  try {
    return await runHeld(work, hold)
  } catch (error) {
    throw signal.aborted && abortError ? abortError(error) : error
  }
}

async function runHeld<T>(
  work: (signal: AbortSignal) => Promise<T>,
  { timeoutMs, signal, isHidden, onHeld, timeoutError }: FailureHold,
): Promise<T> {
  const timeout = new AbortController()
  const end = new AbortController()
  const timer = setTimeout(() => timeout.abort(timedOut()), timeoutMs)
  // The delay before a failure is reported is measured from the start of the operation, so that the
  // duration of the operation does not influence the time of the report.
  const visible = sleep(timeoutMs + marginMs, AbortSignal.any([signal, end.signal]))
  visible.catch(() => undefined)
  try {
    return await work(AbortSignal.any([signal, timeout.signal]))
  } catch (cause) {
    const error = timeout.signal.aborted && timeoutError ? timeoutError(cause) : cause
    if (!signal.aborted && isHidden(error)) {
      onHeld?.()
      await visible
    }
    throw error
  } finally {
    clearTimeout(timer)
    end.abort()
  }
}

function timedOut(): DOMException {
  return new DOMException('The work took longer than its timeout', 'TimeoutError')
}
