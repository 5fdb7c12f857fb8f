import type { Bus } from '@posthorn/bus'
import type { SignedLink } from '@posthorn/links'
import {
  type Db,
  deriveEventId,
  type NewEvent,
  publishEvents,
  type SettingsCache,
  isDataError,
} from '@posthorn/db'
import type { Logger } from '@posthorn/telemetry'
import type { TaskGroup } from '@posthorn/flow'
import type { AutomatedCheck, LinkVisitor } from '../automated/automated.ts'
import { recordHits } from '../store/tracking.ts'
import { createHitLimiter } from './hit-limiter.ts'
import { createHitWriter } from './hit-writer.ts'
import { visitorFields } from './visitor.ts'

export type HitLink = Extract<SignedLink, { act: 'open' | 'click' }>
/** What became of a hit: `queued` ones are written unless they are `lost` later. */
export type HitOutcome = 'queued' | 'automated' | 'limited' | 'lost'

export interface HitDeps {
  db: Db
  bus: Bus
  settings: SettingsCache
  log: Logger
  tasks: TaskGroup
  automated: AutomatedCheck
  count: (kind: 'open' | 'click', outcome: HitOutcome, by?: number) => void
}

export interface Hits extends AsyncDisposable {
  /** Takes note of a hit. Never waits and never throws: the answer does not depend on it. */
  record(link: HitLink, visitor: LinkVisitor): void
}

/** What the same visitor does with the same link within so long is one event: clients like to ask twice. */
const sameMs = 5_000
/** Hits whose visitors are being looked up, at most; beyond that they count unseen. */
const maxLookups = 500

/** Turns hits into events, behind the answers: those of machines are left out, those of a link that is hammered are bounded. */
export function createHits(deps: HitDeps): Hits {
  const { db, bus, settings, log, tasks, automated, count } = deps
  const counts = createHitLimiter()
  const looking = new Set<Promise<void>>()
  const writer = createHitWriter<NewEvent>({
    log,
    isPermanentError: isDataError,
    onLost: (by) => count('open', 'lost', by),
    async write(batch) {
      const { serviceUrl = null } = await settings.get()
      const events = await recordHits(db, batch, serviceUrl)
      tasks.run(publishEvents(db, (message) => bus.publishEvent(message), events))
    },
  })

  function queue(link: HitLink, event: NewEvent): void {
    count(link.act, writer.add(event) ? 'queued' : 'lost')
  }

  async function lookUp(link: HitLink, visitor: LinkVisitor, event: NewEvent): Promise<void> {
    if (await automated.isScanner(visitor)) count(link.act, 'automated')
    else queue(link, event)
  }

  return {
    record(link, visitor) {
      if (automated.isCrawler(visitor)) return count(link.act, 'automated')
      if (!counts(JSON.stringify([link.act, link.acc, link.msg, urlOf(link)])))
        return count(link.act, 'limited')
      const event = eventOf(link, visitor)
      if (looking.size >= maxLookups) return queue(link, event)
      const work = lookUp(link, visitor, event)
      looking.add(work)
      void work.finally(() => looking.delete(work))
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(looking)
      await writer[Symbol.asyncDispose]()
    },
  }
}

function urlOf(link: HitLink): string {
  return link.act === 'click' ? link.url : ''
}

function eventOf(link: HitLink, visitor: LinkVisitor): NewEvent {
  const event = link.act === 'open' ? 'trackOpen' : 'trackClick'
  const when = Math.floor(Date.now() / sameMs)
  const { remoteAddress, userAgent } = visitor
  return {
    eventId: deriveEventId([
      event,
      link.acc,
      link.msg,
      urlOf(link),
      remoteAddress,
      userAgent,
      when,
    ]),
    event,
    account: link.acc,
    data: {
      messageId: link.msg,
      ...(link.act === 'click' ? { url: link.url } : {}),
      ...visitorFields(visitor),
    },
  }
}
