import type { ServerResponse } from 'node:http'
import { operations } from '@posthorn/contracts/operations'
import { tenantLastError } from '@posthorn/contracts/visible-failures'
import { AppError, messageOf } from '@posthorn/errors'
import type { Metrics } from '@posthorn/telemetry'
import { isTenant } from '../access/authorize.ts'
import type { Caller } from '../access/authenticate.ts'
import type { TokenWatch } from '../access/token-watch.ts'
import type { ResponseWriter } from '../http/handle.ts'
import { type Change, findChangesEnd, type Position } from '../store/changes.ts'
import { ChangeFeed, type FeedOptions } from './feed.ts'
import { ChangeStream, type StreamOptions } from './stream.ts'

export interface ChangeStreamsDeps extends StreamOptions, Omit<FeedOptions, 'onLive'> {
  metrics: Metrics
  tokenWatch: TokenWatch
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

export function serveChanges(deps: ChangeStreamsDeps): ChangeStreams {
  const { db, log, tokenWatch } = deps
  const measured = measure(deps.metrics)
  const feed = new ChangeFeed({ ...deps, onLive: measured.onLive })
  const streams = new Set<ChangeStream>()
  let stopping = false

  async function serve(stream: ChangeStream, response: ServerResponse): Promise<void> {
    const closed = new Promise((resolve) => response.once('close', resolve))
    streams.add(stream)
    measured.clients.inc()
    try {
      await feed.follow(stream)
      await closed
    } catch (error) {
      // Closes the HTTP connection of the client after an error, because the head of the change
      // stream has been sent. The client detects the end and resumes with its last event id.
      log.info({ reason: messageOf(error) }, 'change stream ended after an error')
      response.destroy()
    } finally {
      feed.leave(stream)
      streams.delete(stream)
      measured.clients.dec()
    }
  }

  return {
    async open(after, caller) {
      // Queries the latest position in the list of account changes even if the client sent a
      // position, so that a database outage gives an error response instead of a stream.
      const end = await findChangesEnd(db)
      return async (response) => {
        if (stopping) throw new AppError('unavailable', 'The service is stopping')
        if (response.destroyed) return
        const options = isTenant(caller.token) ? { ...deps, toVisible: withoutDetails } : deps
        const stream = new ChangeStream(response, after ?? end, options)
        if (response.req.method === 'HEAD') {
          stream.open(after !== undefined)
          stream.close()
          return
        }
        const { referer: referrer } = response.req.headers
        const operation = operations.followChanges
        const by = { operation, caller, account: undefined, address: caller.address, referrer }
        using _watched = tokenWatch.watch({ ...by, refused: () => stream.close() })
        stream.open(after !== undefined)
        await serve(stream, response)
      }
    },
    wake: () => feed.wake(),
    async [Symbol.asyncDispose]() {
      stopping = true
      for (const stream of streams) stream.close()
      await feed[Symbol.asyncDispose]()
    },
  }
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
  return {
    clients: metrics.gauge({
      name: 'changes_clients',
      help: 'Number of clients of GET /v1/changes',
    }),
    onLive: (changes: readonly Change[]) => {
      const now = Date.now()
      for (const { createdAt } of changes)
        delay.observe(Math.max(0, now - createdAt.getTime()) / 1000)
    },
  }
}
