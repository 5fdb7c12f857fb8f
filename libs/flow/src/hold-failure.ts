import { sleep } from './sleep.ts'

/** Time between the timeout of the work and the report of its failure: the work ends meanwhile. */
const marginMs = 1_000

export interface FailureHold {
  /** Timeout of the work. */
  timeoutMs: number
  /** Ends work and wait. */
  signal: AbortSignal
  /** True for failures whose time must not depend on their cause. */
  isHidden: (error: unknown) => boolean
  /** Called when a hidden failure starts to wait, so that the caller can release what it holds. */
  onHeld?: (() => void) | undefined
}

/**
 * Runs work whose failures tell something by their time, such as a closed port from a silent one.
 * A hidden failure is reported 1 s after the timeout, counted from the start, whenever it occurred.
 * Results and other failures are reported immediately.
 *
 * @throws the error of the work; the reason of the signal if that aborts the wait
 */
export async function holdFailure<T>(
  work: (signal: AbortSignal) => Promise<T>,
  { timeoutMs, signal, isHidden, onHeld }: FailureHold,
): Promise<T> {
  const timeout = new AbortController()
  const end = new AbortController()
  const timer = setTimeout(() => timeout.abort(timedOut()), timeoutMs)
  // One timer from the start: the duration of the work adds nothing to the time of the report.
  const visible = sleep(timeoutMs + marginMs, AbortSignal.any([signal, end.signal]))
  visible.catch(() => undefined)
  try {
    return await work(AbortSignal.any([signal, timeout.signal]))
  } catch (error) {
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
