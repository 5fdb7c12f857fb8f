import { operations } from '@posthorn/contracts/operations'
import type { StateChange } from '@posthorn/contracts/schemas/changes'
import { messageOf } from '@posthorn/errors'
import { backoff, sleep } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import { frameText, readFrames } from './frames.ts'
import { ChangeBatch } from './change-batch.ts'
import type { GatewayReads } from './gateway-reads.ts'
import type { Viewer, Viewers } from './viewers.ts'

const operation = operations.followChanges
/** Delays before another attempt to open api-gateway's stream of account changes. */
const reconnectDelay = backoff({ baseMs: 200, maxMs: 2_000, jitter: 0.2 })
/** Time in milliseconds after which an open stream of account changes counts as successful. */
const stableMs = 2_000

export interface ReaderDeps {
  reads: GatewayReads
  viewers: Viewers
  log: Pick<Logger, 'debug' | 'error'>
  /** Called after each call of admin-ui to api-gateway for live updates, with the call's result. */
  onRead: (operationId: string, result: 'done' | 'failed') => void
  /** Called with true after a successful attempt to read api-gateway, with false in an outage. */
  report: (isUp: boolean) => void
}

/**
 * Follows `GET /v1/changes` of api-gateway for all browser tabs until `stop` aborts. After a
 * disconnect, and when the tab whose credential is used has left, the stream continues after the
 * last change that arrived.
 */
export async function followChanges(deps: ReaderDeps, stop: AbortSignal): Promise<void> {
  const { viewers, reads, log, report, onRead } = deps
  const follower = new ChangeFollower(deps)
  using _batch = follower.batch
  let failures = 0
  for (let viewer = next(); viewer; viewer = next()) {
    const startedAt = performance.now()
    let hasFailed = false
    try {
      await follower.follow(viewer, stop)
    } catch (error) {
      if (stop.aborted) return
      if (reads.mayContinue(error, viewer, operation.id)) continue
      onRead(operation.id, 'failed')
      log.debug({ reason: messageOf(error) }, 'following changes failed, will retry')
      hasFailed = true
    }
    const wasStable = follower.isOpen && performance.now() - startedAt > stableMs
    failures = wasStable ? 1 : failures + 1
    // The first break of an open stream of account changes is no outage, because the next attempt
    // usually succeeds.
    if (hasFailed && (!follower.isOpen || failures > 1)) report(false)
    await sleep(reconnectDelay(failures), stop).catch(() => undefined)
  }

  function next(): Viewer | undefined {
    return stop.aborted ? undefined : viewers.choose(operation.id)
  }
}

class ChangeFollower {
  readonly batch: ChangeBatch
  /** True if the last attempt has opened api-gateway's stream of account changes. */
  isOpen = false
  readonly #deps: ReaderDeps
  #lastId: string | undefined

  constructor(deps: ReaderDeps) {
    this.#deps = deps
    const { viewers } = deps
    this.batch = new ChangeBatch((changes) =>
      changes === 'many'
        ? viewers.send(frameText('refresh', ['changes']), 'changes')
        : viewers.send(frameText('changes', changes), 'changes'),
    )
  }

  /**
   * Follows the stream of account changes with the credential of a browser tab until the stream
   * ends.
   */
  async follow(viewer: Viewer, stop: AbortSignal): Promise<void> {
    const { reads, report, onRead } = this.#deps
    this.isOpen = false
    const headers = this.#lastId === undefined ? {} : { 'last-event-id': this.#lastId }
    using stream = await reads.open({ operation, headers }, viewer, stop)
    this.isOpen = true
    onRead(operation.id, 'done')
    report(true)
    for await (const { id, event, data } of readFrames(stream.body)) {
      if (event === 'message' && data !== undefined) this.batch.add(JSON.parse(data) as StateChange)
      // Changes of accounts were deleted before admin-ui read them, so browser tabs load all
      // accounts again.
      if (event === 'historyLost')
        this.#deps.viewers.send(frameText('refresh', ['changes']), 'changes')
      this.#lastId = id ?? this.#lastId
    }
  }
}
