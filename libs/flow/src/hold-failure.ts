import { sleep } from './sleep.ts'

/** Time between the timeout of the work and the report of its failure: the work ends meanwhile. */
const marginMs = 1_000

export interface FailureHold {
  /** Timeout of the work whose failures are reported late. */
  timeoutMs: number
  /** Signal that ends the work and the wait for its failure report. */
  signal: AbortSignal
  /** True for failures of the work whose time must not depend on their cause. */
  isHidden: (error: unknown) => boolean
  /**
   * Called when a hidden failure of the work starts to wait, so that the caller can release what it
   * holds.
   */
  onHeld?: (() => void) | undefined
  /** Error of work that fails after its timeout. Default: the work's own error. */
  timeoutError?: (cause: unknown) => unknown
  /**
   * Error of work after an abort by the caller. Default: the error of the work or reason of the
   * signal.
   */
  abortError?: (cause: unknown) => unknown
}

/**
 * Runs work whose failures tell something by their time, such as a connection to a server that a
 * tenant has chosen: a closed port fails earlier than a silent port. A hidden failure is reported
 * 1 s after the timeout, counted from the start, whenever it occurred. Results and other failures
 * are reported immediately.
 *
 * @throws the error of the work; the reason of the signal if that aborts the wait; or what
 * `timeoutError` and `abortError` return
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
  // One timer runs from the start: the duration of the work does not change the time of the failure
  // report.
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
