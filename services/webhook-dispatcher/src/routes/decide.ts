import { type Db, readSettings } from '@posthorn/db'
import type { FunctionInput, FunctionResult, Sandbox, StaticMatch } from '@posthorn/sandbox'
import { findBody, listPendingEvents, type PendingEvent } from '../store/events.ts'
import type { RouteFailure } from '../store/route-states.ts'
import type { Route } from '../store/routes.ts'
import type { RouteCache } from './route-cache.ts'
import { FunctionThrottle } from './function-throttle.ts'

/** A route that an event goes to. */
export interface RouteDecision {
  route: Route
  /** What its map made; null: the event's own body. */
  body: string | null
}

/** What the routes make of the events of a partition that wait. */
export interface RouteDecisions {
  /** Of the routes that were asked. */
  readonly version: string
  /** Undefined: nobody has asked about that event. */
  of(event: PendingEvent): readonly RouteDecision[] | undefined
  /** Of the events that were asked about. */
  readonly failures: readonly (RouteFailure & { eventRow: string })[]
}

export interface DecideDeps {
  db: Db
  sandbox: Pick<Sandbox, 'apply' | 'matchStatically'>
  routes: RouteCache
  batchSize: number
  /** Told of every call of a route's functions that was due, and the seconds of the processor it took. */
  called: (outcome: CallOutcome, seconds: number) => void
}

/** `left-alone`: not made, for those before took too long. */
export type CallOutcome = 'wanted' | 'unwanted' | 'failed' | 'left-alone'

/** Events that are decided about side by side, and what maps may have made until the rest waits for the next batch. */
const together = 50
const maxMadeChars = 32 * 1024 * 1024
const leftAlone = 'was not asked: it took too much time before'
/** What the sandbox allows large payloads in addition, for each million characters; twice for two functions. */
const allowedMsPerMillion = 200

/** Asks the routes about the events of a partition that wait. Without routes it asks nobody anything. */
export function decideRoutes(deps: DecideDeps): (partition: number) => Promise<RouteDecisions> {
  const { db, routes: known, batchSize } = deps
  const patience = new FunctionThrottle()
  const verdicts = new WeakMap<Route, Map<string, Promise<StaticMatch>>>()
  const { ask, interested } = asker(deps, { patience, verdicts })

  return async (partition) => {
    const { version: stamp, routes } = known.snapshot
    if (routes.length === 0) return { version: stamp, of: () => [], failures: [] }
    const decided = new Map<string, RouteDecision[]>()
    const failures: (RouteFailure & { eventRow: string })[] = []
    const decisions: RouteDecisions = { version: stamp, of: ({ id }) => decided.get(id), failures }
    const { webhooksEnabled, scriptEnv: env = '{}' } = await readSettings(db)
    if (webhooksEnabled !== true) return decisions
    patience.keepOnly(new Set(routes.map(functionsOf)))
    const events = await listPendingEvents(db, { partition, limit: batchSize, whole: null })
    const toAsk = await interested(events, routes)
    let made = 0
    for (let from = 0; from < events.length && made < maxMadeChars; from += together) {
      const asked = events.slice(from, from + together).map(async (event) => {
        const asking = toAsk.get(event.event) ?? []
        const answers = await Promise.all(asking.map((route) => ask(event, route, env)))
        for (const [index, { problems }] of answers.entries())
          failures.push(...failuresOf(event, asking[index], problems))
        const applied = answers.flatMap(({ decision }) => (decision ? [decision] : []))
        for (const { body } of applied) made += body?.length ?? 0
        decided.set(event.id, applied)
      })
      await Promise.all(asked)
    }
    return decisions
  }
}

interface Answer {
  decision?: RouteDecision
  problems: FunctionResult['problems']
}
interface DecisionState {
  patience: FunctionThrottle
  verdicts: WeakMap<Route, Map<string, Promise<StaticMatch>>>
}

function asker({ db, sandbox, called }: DecideDeps, { patience, verdicts }: DecisionState) {
  /** What the filter says of every event of that name is asked once, of nothing but the name. */
  async function verdictOf(route: Route, event: string): Promise<StaticMatch> {
    const { filter } = route
    if (filter === null) return 'always'
    const known = verdicts.get(route) ?? new Map<string, Promise<StaticMatch>>()
    verdicts.set(route, known)
    const verdict = known.get(event) ?? sandbox.matchStatically(filter, event)
    known.set(event, verdict)
    verdict.catch(() => known.delete(event))
    return verdict
  }

  /** By the names of the events: the routes that do not say no to the name alone. */
  async function interested(events: readonly PendingEvent[], routes: readonly Route[]) {
    const found = new Map<string, Route[]>()
    for (const name of new Set(events.map(({ event }) => event))) {
      const said = await Promise.all(routes.map((route) => verdictOf(route, name)))
      const left = routes.filter((_route, index) => said[index] !== 'never')
      found.set(name, left)
    }
    return found
  }

  async function call(
    route: Route,
    filter: string | null,
    input: FunctionInput,
  ): Promise<FunctionResult> {
    const functions = functionsOf(route)
    const outcome = await sandbox.apply({ filter, map: route.map }, input, () =>
      patience.isOut(functions) ? leftAlone : undefined,
    )
    const { applies, problems, usedMs } = outcome
    if (problems.some(({ reason }) => reason === leftAlone)) {
      called('left-alone', 0)
      // Told once is enough: the failures that led to it would be pushed out.
      return { ...outcome, problems: [] }
    }
    const size = input.payload.length + input.env.length
    patience.note(functions, usedMs, (allowedMsPerMillion * size) / 1e6)
    called(problems.length > 0 ? 'failed' : applies ? 'wanted' : 'unwanted', usedMs / 1_000)
    return outcome
  }

  async function ask(event: PendingEvent, route: Route, env: string): Promise<Answer> {
    const verdict = await verdictOf(route, event.event)
    const filter = verdict === 'always' ? null : route.filter
    if (filter === null && route.map === null)
      return { decision: { route, body: null }, problems: [] }
    const body = event.body ?? (await findBody(db, event))
    if (body === undefined) return { problems: [] }
    const input = { payload: shown(body, event.eventId, route.id), env }
    const { applies, problems, body: made } = await call(route, filter, input)
    return applies ? { decision: { route, body: made ?? null }, problems } : { problems }
  }
  return { ask, interested }
}

/** A body as functions see it. Bodies are objects, written by `JSON.stringify`. */
export function shown(body: string, eventId: string, route: string): string {
  const more = `"eventId":${JSON.stringify(eventId)},"_route":${JSON.stringify({ id: route })}}`
  const end = body.lastIndexOf('}')
  const rest = body.slice(0, end)
  return rest.trimEnd().endsWith('{') ? `${rest}${more}` : `${rest},${more}`
}

function functionsOf({ id, version }: Route): string {
  return `${id}:${version}`
}

function failuresOf(
  { id: eventRow, event, account, eventId }: PendingEvent,
  route: Route | undefined,
  problems: FunctionResult['problems'],
) {
  return problems.map((problem) => ({
    ...problem,
    route: route?.id ?? '',
    event,
    account,
    eventId,
    eventRow,
  }))
}
