import { randomUUID } from 'node:crypto'
import type { Bus } from '@posthorn/bus'
import { defined } from '@posthorn/contracts/defined'
import { settingDefaults } from '@posthorn/contracts/settings/settings'
import {
  type Db,
  deriveEventId,
  isDataError,
  type NewEvent,
  publishEvents,
  type SettingsCache,
} from '@posthorn/db'
import { KeyedRateLimiter, TaskGroup } from '@posthorn/flow'
import type { SignedLink } from '@posthorn/links'
import type { Logger } from '@posthorn/telemetry'
import type { AutomatedCheck, LinkVisitor } from '../automated/automated.ts'
import { recordHits } from '../store/events/tracking.ts'
import { createHitWriter } from './hit-writer.ts'
import { visitorFields } from './link-request.ts'

export type HitLink = Extract<SignedLink, { act: 'open' | 'click' }>
/**
 * Outcome of a hit (open or click). `queued` hits are written later, unless they are also counted
 * as `lost`.
 */
export type HitOutcome = 'queued' | 'automated' | 'limited' | 'lost'

export interface HitDeps {
  db: Db
  bus: Bus
  settings: SettingsCache
  log: Logger
  tasks: TaskGroup
  automated: AutomatedCheck
  count: (kind: 'open' | 'click', outcome: HitOutcome) => void
}

export interface Hits extends AsyncDisposable {
  /**
   * Records a hit (open or click). Never waits and never throws: the response to the visitor does
   * not depend on the record.
   */
  record(link: HitLink, visitor: LinkVisitor): void
}

/**
 * Hit (open or click) with its link, visitor and time, by which repeats of the hit are detected.
 */
interface Hit {
  link: HitLink
  visitor: LinkVisitor
  at: number
  /**
   * Value that differs for each hit (open or click), and stays the same when the write of the hit
   * is repeated.
   */
  nonce: string
}

/**
 * Rate limit of recorded hits (opens and clicks) per tracking link, which protects the events table
 * from floods. The limit allows for messages to many recipients, who share a link. With more
 * than `maxKeys` links, the least recently used link later starts again with a full burst.
 */
const linkLimits = { perSecond: 1, burst: 100, maxKeys: 20_000 }
/**
 * Maximum concurrent DNS lookups of the visitors of tracking links. Above the maximum, hits (opens
 * and clicks) are recorded without a lookup of the visitor.
 */
const maxLookups = 500

/**
 * Creates the recorder that turns hits (opens and clicks) into events after the response. Hits of
 * automated clients are ignored, hits per link are rate-limited.
 */
export function createHits(deps: HitDeps): Hits {
  const { db, bus, settings, log, tasks, automated, count } = deps
  const limiter = new KeyedRateLimiter(linkLimits)
  const lookups = new TaskGroup()
  const writer = createHitWriter<Hit>({
    log,
    isPermanentError: isDataError,
    onLost(hits) {
      for (const { link } of hits) count(link.act, 'lost')
    },
    async write(batch) {
      const { serviceUrl = null, trackRepeatWindow } = await settings.get()
      const windowSeconds = trackRepeatWindow ?? settingDefaults.trackRepeatWindow
      const hits = batch.map((hit) => eventOf(hit, windowSeconds * 1_000))
      const events = await recordHits(db, hits, serviceUrl)
      tasks.run(publishEvents(db, (message) => bus.publishEvent(message), events))
    },
  })

  function queue(hit: Hit): void {
    count(hit.link.act, writer.add(hit) ? 'queued' : 'lost')
  }

  async function queueUnlessScanner(hit: Hit) {
    if (await automated.isScanner(hit.visitor)) count(hit.link.act, 'automated')
    else queue(hit)
  }

  return {
    record(link, visitor) {
      if (automated.isCrawler(visitor)) return count(link.act, 'automated')
      if (!limiter.tryAcquire(JSON.stringify([link.act, link.acc, link.msg, urlOf(link) ?? ''])))
        return count(link.act, 'limited')
      const hit = { link, visitor, at: Date.now(), nonce: randomUUID() }
      if (lookups.size >= maxLookups) return queue(hit)
      lookups.run(queueUnlessScanner(hit))
    },
    async [Symbol.asyncDispose]() {
      await lookups.drain()
      await writer[Symbol.asyncDispose]()
    },
  }
}

function urlOf(link: HitLink): string | undefined {
  return link.act === 'click' ? link.url : undefined
}

/**
 * Creates the event of a hit (open or click). Hits of one visitor on one link within a window get
 * the same event id, because clients repeat requests.
 */
function eventOf({ link, visitor, at, nonce }: Hit, windowMs: number): NewEvent {
  const event = link.act === 'open' ? 'trackOpen' : 'trackClick'
  const { acc: account, msg: messageId } = link
  const { remoteAddress, userAgent } = visitor
  const period = windowMs > 0 ? Math.floor(at / windowMs) : nonce
  const url = urlOf(link)
  const identity = [event, account, messageId, url ?? '', remoteAddress, userAgent, period]
  return {
    eventId: deriveEventId(identity),
    event,
    account,
    data: { messageId, ...defined({ url }), ...visitorFields(visitor) },
  }
}
