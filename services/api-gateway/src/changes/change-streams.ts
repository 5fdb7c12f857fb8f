import { operations } from '@posthorn/contracts/operations'
import { tenantLastError } from '@posthorn/contracts/visible-failures'
import type { Db } from '@posthorn/db'
import type { Metrics } from '@posthorn/telemetry'
import { isTenant } from '../access/authorize.ts'
import type { Caller } from '../access/authenticate.ts'
import type { ResponseWriter } from '../http/handle.ts'
import { type Change, findChangesEnd, listChanges, type Position } from '../store/events/changes.ts'
import { formatPosition, isBehind } from './position.ts'
import { Streams, type StreamsDeps } from '../streams/streams.ts'

export interface ChangeStreamsDeps extends StreamsDeps {
  db: Db
  metrics: Metrics
}

/**
 * Streams of `GET /v1/changes` in this process. Disposal ends the streams; clients resume at any
 * replica.
 */
export interface ChangeStreams extends AsyncDisposable {
  /**
   * Prepares a stream of account changes that starts after the position `after`, or at the current
   * end of the list of changes. The returned function writes the stream.
   */
  open(after: Position | undefined, caller: Caller): Promise<ResponseWriter>
  /** Makes the change streams read account changes soon. Called when there may be new changes. */
  wake(): void
}

export function serveChanges({ db, metrics, ...deps }: ChangeStreamsDeps): ChangeStreams {
  const source = {
    list: (after: Position, limit: number) => listChanges(db, after, limit),
    findEnd: () => findChangesEnd(db),
    isBehind,
  }
  const operation = operations.followChanges
  const streams = new Streams({ ...deps, ...measure(metrics), operation, source })
  return {
    open(after, caller) {
      const hidesDetails = isTenant(caller.token)
      const toData = (change: Change) => dataOf(hidesDetails ? withoutDetails(change) : change)
      return streams.open(after, caller, { formatPosition, toData })
    },
    wake: () => streams.wake(),
    [Symbol.asyncDispose]: () => streams[Symbol.asyncDispose](),
  }
}

/** Data of the server-sent event that reports an account change. */
function dataOf({ account, type, key, stateDetail, payload }: Change): object {
  return { account, type, key, stateDetail, payload }
}

/**
 * Account change without the reason of a failed connection, for access tokens that may not read
 * this reason.
 */
function withoutDetails(change: Change): Change {
  const { payload } = change
  return payload === null
    ? change
    : { ...change, payload: { ...payload, error: tenantLastError(payload.error) } }
}

function measure(metrics: Metrics) {
  const delay = metrics.histogram({
    name: 'changes_delay_seconds',
    help: 'Time from a change to its delivery to clients, in seconds',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  })
  const clients = metrics.gauge({
    name: 'changes_clients',
    help: 'Number of clients of GET /v1/changes',
  })
  return {
    onClients: (change: 1 | -1) => clients.inc(change),
    onLive: (changes: readonly Change[]) => {
      const now = Date.now()
      for (const { createdAt } of changes)
        delay.observe(Math.max(0, now - createdAt.getTime()) / 1000)
    },
  }
}
