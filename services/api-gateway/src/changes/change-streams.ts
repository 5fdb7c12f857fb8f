import type { ServerResponse } from 'node:http'
import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { AppError, messageOf } from '@posthorn/errors'
import type { Logger, Metrics } from '@posthorn/telemetry'
import type { Caller } from '../access/caller.ts'
import type { EventStreamResponse } from '../http/handle.ts'
import { type Change, findChangesEnd, type Position } from '../store/changes.ts'
import { ChangeFeed } from './feed.ts'
import { ChangeStream, type StreamOptions } from './stream.ts'
import { TokenWatch } from './token-watch.ts'

export interface ChangeStreamsDeps extends StreamOptions {
  db: Db
  log: Logger
  metrics: Metrics
  pollMs: number
}

/** The streams of `GET /v1/changes` that this process serves. Disposing ends them; clients go on elsewhere, from where they were. */
export interface ChangeStreams extends AsyncDisposable {
  /** Prepares an answer that begins behind `after`, or now. What is returned writes it, until either side ends it. */
  open(after: Position | undefined, caller: Caller): Promise<EventStreamResponse>
  /** There may be new changes. */
  wake(): void
  /** Tokens may have been revoked. */
  tokensChanged(): void
}

export function serveChanges(deps: ChangeStreamsDeps): ChangeStreams {
  const { db, log, pollMs } = deps
  const measured = measure(deps.metrics)
  const feed = new ChangeFeed({ db, log, pollMs, onLive: measured.live })
  const tokens = new TokenWatch(db, log)
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
      // The head is out: the client finds out by the end, and comes back with its last id.
      log.info({ reason: messageOf(error) }, 'a stream of changes had to be ended')
      response.destroy()
    } finally {
      feed.leave(stream)
      streams.delete(stream)
      measured.clients.dec()
    }
  }

  return {
    async open(after, { token, address }) {
      // Asked for in any case: while nothing can be read, there is still another answer than a stream.
      const end = await findChangesEnd(db)
      return async (response) => {
        if (stopping) throw new AppError('unavailable', 'The service is stopping')
        if (response.destroyed) return
        const stream = new ChangeStream(response, after ?? end, deps)
        if (response.req.method === 'HEAD') {
          stream.open(after !== undefined)
          stream.close()
          return
        }
        const { referer: referrer } = response.req.headers
        const by = { operation: operations.followChanges, address, referrer }
        using _watched =
          token && tokens.watch({ ...by, token: token.id, refused: () => stream.close() })
        stream.open(after !== undefined)
        await serve(stream, response)
      }
    },
    wake: () => feed.wake(),
    tokensChanged: () => void tokens.check(),
    async [Symbol.asyncDispose]() {
      stopping = true
      tokens[Symbol.dispose]()
      for (const stream of streams) stream.close()
      await feed[Symbol.asyncDispose]()
    },
  }
}

function measure(metrics: Metrics) {
  const delay = metrics.histogram({
    name: 'changes_delay_seconds',
    help: 'From a change of state to its being told to those who follow',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  })
  return {
    clients: metrics.gauge({
      name: 'changes_clients',
      help: 'Clients that follow changes of states',
    }),
    live: (changes: readonly Change[]) => {
      const now = Date.now()
      for (const { createdAt } of changes)
        delay.observe(Math.max(0, now - createdAt.getTime()) / 1000)
    },
  }
}
