import type { Bus } from '@posthorn/bus'
import { defined } from '@posthorn/contracts/defined'
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
import { recordHits } from '../store/tracking.ts'
import { createHitWriter } from './hit-writer.ts'
import { visitorFields } from './link-request.ts'

export type HitLink = Extract<SignedLink, { act: 'open' | 'click' }>
/** Outcome of a hit. `queued` hits are written later, unless they are also counted as `lost`. */
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
  /** Records a hit. Never waits and never throws: the response does not depend on it. */
  record(link: HitLink, visitor: LinkVisitor): void
}

/** Window in which hits of one visitor on one link are one event; clients repeat requests. */
const duplicateWindowMs = 5_000
/**
 * Hits of a link that are recorded, which protects the events table from floods. One message may go
 * to many recipients. A link beyond `maxKeys` starts with a full burst.
 */
const linkLimits = { perSecond: 1, burst: 100, maxKeys: 20_000 }
/** Maximum concurrent DNS lookups of visitors. Further hits are recorded without a lookup. */
const maxLookups = 500

/**
 * Creates the recorder that turns hits into events after the response. Hits of automated clients
 * are ignored, hits per link are rate-limited.
 */
export function createHits(deps: HitDeps): Hits {
  const { db, bus, settings, log, tasks, automated, count } = deps
  const limiter = new KeyedRateLimiter(linkLimits)
  const lookups = new TaskGroup()
  const writer = createHitWriter<NewEvent>({
    log,
    isPermanentError: isDataError,
    onLost(events) {
      for (const { event } of events) count(event === 'trackClick' ? 'click' : 'open', 'lost')
    },
    async write(batch) {
      const { serviceUrl = null } = await settings.get()
      const events = await recordHits(db, batch, serviceUrl)
      tasks.run(publishEvents(db, (message) => bus.publishEvent(message), events))
    },
  })

  function queue(link: HitLink, event: NewEvent): void {
    count(link.act, writer.add(event) ? 'queued' : 'lost')
  }

  async function queueUnlessScanner(link: HitLink, visitor: LinkVisitor, event: NewEvent) {
    if (await automated.isScanner(visitor)) count(link.act, 'automated')
    else queue(link, event)
  }

  return {
    record(link, visitor) {
      if (automated.isCrawler(visitor)) return count(link.act, 'automated')
      if (!limiter.tryAcquire(JSON.stringify([link.act, link.acc, link.msg, urlOf(link) ?? ''])))
        return count(link.act, 'limited')
      const event = eventOf(link, visitor)
      if (lookups.size >= maxLookups) return queue(link, event)
      lookups.run(queueUnlessScanner(link, visitor, event))
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

function eventOf(link: HitLink, visitor: LinkVisitor): NewEvent {
  const event = link.act === 'open' ? 'trackOpen' : 'trackClick'
  const { acc: account, msg: messageId } = link
  const { remoteAddress, userAgent } = visitor
  const period = Math.floor(Date.now() / duplicateWindowMs)
  const url = urlOf(link)
  const identity = [event, account, messageId, url ?? '', remoteAddress, userAgent, period]
  return {
    eventId: deriveEventId(identity),
    event,
    account,
    data: { messageId, ...defined({ url }), ...visitorFields(visitor) },
  }
}
