import { TtlCache } from '@posthorn/flow'
import { deadlineExceeded, noResponder } from './frames.ts'
import { Credit } from './outgoing-stream.ts'

/** Maximum number of cached cancellations of requests. A cancellation may overtake its request. */
const maxCancellations = 1_000

/** RPC request in progress at its responder. */
export interface ActiveRequest {
  readonly signal: AbortSignal
  /** Chunks of a streamed reply that the reader of the stream can take. */
  readonly credit: Credit
  /** True if the requester cancelled the request. */
  readonly cancelled: boolean
  /**
   * Ends the deadline of the request: from now on only an idle reader of the stream ends the
   * request.
   */
  beginStream(): void
  /** Ends the request because of a failure in this process. */
  abort(reason: unknown): void
  end(): void
}

interface CancellableRequest extends ActiveRequest {
  cancelled: boolean
  streaming: boolean
  cancel(): void
}

/** RPC requests in progress in this process, by correlation id. */
export class ActiveRequests {
  readonly #active = new Map<string, CancellableRequest>()
  readonly #cancelled = new TtlCache<string, true>({ max: maxCancellations })

  has(id: string): boolean {
    return this.#active.has(id)
  }

  wasCancelled(id: string): boolean {
    return this.#cancelled.has(id)
  }

  start(
    id: string,
    { deadline, timeoutMs }: { deadline: number; timeoutMs: number },
  ): ActiveRequest {
    const controller = new AbortController()
    const onDeadline = () => controller.abort(deadlineExceeded())
    const timer = setTimeout(onDeadline, Math.max(0, deadline - Date.now()))
    const request: CancellableRequest = {
      signal: controller.signal,
      credit: new Credit(timeoutMs),
      cancelled: false,
      streaming: false,
      beginStream() {
        request.streaming = true
        clearTimeout(timer)
      },
      abort: (reason) => controller.abort(reason),
      cancel() {
        request.cancelled = true
        controller.abort(new DOMException('request cancelled by the requester', 'AbortError'))
      },
      end: () => {
        clearTimeout(timer)
        this.#active.delete(id)
      },
    }
    this.#active.set(id, request)
    return request
  }

  grant(id: string, chunks: number): void {
    this.#active.get(id)?.credit.grant(chunks)
  }

  /** Cancels a request on behalf of its requester, also before the request arrives. */
  cancel(id: string): void {
    const request = this.#active.get(id)
    if (request) request.cancel()
    else this.#cancelled.set(id, true)
  }

  /**
   * Ends the streams of all requests: the reply queue was lost, and credit of readers cannot arrive
   * any more.
   */
  abortStreams(): void {
    for (const request of this.#active.values()) if (request.streaming) request.abort(noResponder())
  }
}
