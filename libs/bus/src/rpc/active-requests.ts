import { TtlCache } from '@posthorn/flow'
import { deadlineExceeded, noResponder } from './frames.ts'
import { Credit } from './outgoing-stream.ts'

/**
 * Maximum number of remembered cancellations of RPC requests. Cancellations are remembered because
 * a cancellation may arrive before its request.
 */
const maxCancellations = 1_000

/** RPC request that this process is executing as responder. */
export interface ActiveRequest {
  readonly signal: AbortSignal
  /**
   * Credit for a streamed RPC reply: number of chunks that the reader of the stream can still
   * accept.
   */
  readonly credit: Credit
  /** True if the requester cancelled this RPC request. */
  readonly cancelled: boolean
  /**
   * Removes the deadline of an RPC request when its streamed reply begins. From then on, the
   * request is only ended by a reader that stays idle too long.
   */
  beginStream(): void
  /** Aborts an RPC request with a reason, because of a failure in this process. */
  abort(reason: unknown): void
  end(): void
}

interface CancellableRequest extends ActiveRequest {
  cancelled: boolean
  streaming: boolean
  cancel(): void
}

/** RPC requests that this process is executing, by correlation id. */
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

  /**
   * Cancels an RPC request on behalf of its requester. If the request has not arrived yet, it is
   * cancelled when it arrives.
   */
  cancel(id: string): void {
    const request = this.#active.get(id)
    if (request) request.cancel()
    else this.#cancelled.set(id, true)
  }

  /**
   * Aborts all RPC requests with a streamed reply. The reply queue of this process was lost, so
   * readers can no longer send credit.
   */
  abortStreams(): void {
    for (const request of this.#active.values()) if (request.streaming) request.abort(noResponder())
  }
}
