import { type Db, readSettings } from '@posthorn/db'
import { backoff, CircuitBreaker, type Clock, monotonicClock } from '@posthorn/flow'
import type { FunctionInput, FunctionResult, Sandbox, StaticMatch } from '@posthorn/sandbox'
import type { BodyMemory } from '../store/bodies.ts'
import { listPendingEvents, type PendingEvent } from '../store/events.ts'
import type { RouteFailure } from '../store/statistics.ts'
import type { Route } from '../store/target-sources.ts'
import type { RouteCache } from './route-cache.ts'

/** Webhook route that applies to an event, with the body to send to the route's target. */
export interface RouteDecision {
  route: Route
  /** Body that the map function of the webhook route returned; null for the event's own body. */
  body: string | null
}

/** Decisions of the webhook routes about the pending events of a partition (group of accounts). */
export interface RouteDecisions {
  /** Version of the webhook routes by which the decisions were made. */
  readonly version: string
  /** Returns the webhook routes that apply to an event. Undefined if the event was not decided. */
  of(event: PendingEvent): readonly RouteDecision[] | undefined
  readonly failures: readonly (RouteFailure & { eventRow: string })[]
}

/**
 * Result of a due call of a webhook route's functions. `suspended`: the functions were not called,
 * because earlier calls took too long.
 */
export type CallOutcome = 'wanted' | 'unwanted' | 'failed' | 'suspended'

export interface DecideDeps {
  db: Db
  bodies: BodyMemory
  sandbox: Pick<Sandbox, 'apply' | 'matchStatically'>
  routes: RouteCache
  batchSize: number
  /** Called for every due call of a webhook route's functions, with the CPU time of the call. */
  onCall: (outcome: CallOutcome, cpuSeconds: number) => void
}

export type DecideRoutes = (partition: number) => Promise<RouteDecisions>

/** Maximum events about which webhook routes decide concurrently. */
const concurrency = 50
/**
 * Maximum characters that map functions of webhook routes return per batch of events. Above the
 * limit, remaining events wait for the next batch.
 */
const maxOutputChars = 32 * 1024 * 1024
const suspended = 'suspended after slow calls'
/**
 * CPU time that the sandbox adds to the limit of a route function per million characters of input:
 * 100 ms each for filter and map.
 */
const cpuMsPerMillion = 200

/**
 * Creates the function that decides which webhook routes apply to the pending events of a partition
 * (group of accounts). Without routes, no filter or map function is called.
 */
export function decideRoutes(deps: DecideDeps): DecideRoutes {
  const { db, routes: cache, batchSize } = deps
  const decider = new Decider(deps)

  return async (partition) => {
    const { version, routes } = cache.snapshot
    if (routes.length === 0) return { version, of: () => [], failures: [] }
    const decided = new Map<string, RouteDecision[]>()
    const failures: Decided['failures'] = []
    const decisions: RouteDecisions = {
      version,
      of: ({ eventRow }) => decided.get(eventRow),
      failures,
    }
    const { webhooksEnabled, scriptEnv: env = '{}' } = await readSettings(db)
    if (webhooksEnabled !== true) return decisions
    decider.retain(routes)
    const events = await listPendingEvents(db, { partition, limit: batchSize, whole: null })
    const candidates = await decider.candidates(events, routes)
    let outputChars = 0
    for (
      let start = 0;
      start < events.length && outputChars < maxOutputChars;
      start += concurrency
    ) {
      const batch = events.slice(start, start + concurrency).map(async (event) => {
        const routes = candidates.get(event.event) ?? []
        const results = await Promise.all(routes.map((route) => decider.decide(event, route, env)))
        failures.push(...results.flatMap((result) => result.failures))
        const applied = results.flatMap(({ decision }) => (decision ? [decision] : []))
        for (const { body } of applied) outputChars += body?.length ?? 0
        decided.set(event.eventRow, applied)
      })
      await Promise.all(batch)
    }
    return decisions
  }
}

interface Decided {
  decision?: RouteDecision
  failures: (RouteFailure & { eventRow: string })[]
}

/** Calls the filter and map functions of webhook routes, with a throttle for slow functions. */
class Decider {
  readonly #deps: DecideDeps
  readonly #throttle = new FunctionThrottle()
  /**
   * Results of the filters of webhook routes for all events of a name, by route and event name. A
   * changed route is a new object, for which no result is stored.
   */
  readonly #matches = new WeakMap<Route, Map<string, Promise<StaticMatch>>>()

  constructor(deps: DecideDeps) {
    this.#deps = deps
  }

  /** Deletes the throttle state of functions that none of the given webhook routes contains. */
  retain(routes: readonly Route[]): void {
    this.#throttle.retain(new Set(routes.map(functionsOf)))
  }

  /** Webhook routes by event name, without routes whose filter rejects the event name alone. */
  async candidates(events: readonly PendingEvent[], routes: readonly Route[]) {
    const candidates = new Map<string, Route[]>()
    for (const name of new Set(events.map(({ event }) => event))) {
      const matches = await Promise.all(routes.map((route) => this.#staticMatch(route, name)))
      const left = routes.filter((_route, index) => matches[index] !== 'never')
      candidates.set(name, left)
    }
    return candidates
  }

  async decide(event: PendingEvent, route: Route, env: string): Promise<Decided> {
    const match = await this.#staticMatch(route, event.event)
    const filter = match === 'always' ? null : route.filter
    if (filter === null && route.map === null)
      return { decision: { route, body: null }, failures: [] }
    using loaded = event.body === null ? await this.#load(event) : undefined
    const body = event.body ?? loaded?.body
    if (body === undefined) return { failures: [] }
    const input = { payload: functionPayload(body, event.eventId, route.id), env }
    const { applies, problems, body: mapped } = await this.#call(route, filter, input)
    const failures = failuresOf(event, route, problems)
    return applies ? { decision: { route, body: mapped ?? null }, failures } : { failures }
  }

  /**
   * Body of an event that is not in memory because of its size. Undefined if the event was deleted,
   * or the body is too large to be sent.
   */
  async #load(event: PendingEvent) {
    const loaded = await this.#deps.bodies.load('functions', event)
    return loaded === 'too-large' ? undefined : loaded
  }

  /**
   * Result of a webhook route's filter that holds for every event of the given name. Evaluated once
   * per event name.
   */
  async #staticMatch(route: Route, event: string): Promise<StaticMatch> {
    const { filter } = route
    if (filter === null) return 'always'
    const matches = this.#matches.get(route) ?? new Map<string, Promise<StaticMatch>>()
    this.#matches.set(route, matches)
    const match = matches.get(event) ?? this.#deps.sandbox.matchStatically(filter, event)
    matches.set(event, match)
    match.catch(() => matches.delete(event))
    return match
  }

  async #call(route: Route, filter: string | null, input: FunctionInput): Promise<FunctionResult> {
    const { sandbox, onCall } = this.#deps
    const functions = functionsOf(route)
    const result = await sandbox.apply({ filter, map: route.map }, input, () =>
      this.#throttle.isSuspended(functions) ? suspended : undefined,
    )
    const { applies, problems, usedMs } = result
    if (problems.some(({ reason }) => reason === suspended)) {
      onCall('suspended', 0)
      // The suspension of a webhook route's functions is not recorded as a problem: it would
      // displace the failures that caused the suspension.
      return { ...result, problems: [] }
    }
    const chars = input.payload.length + input.env.length
    this.#throttle.record(functions, usedMs, (cpuMsPerMillion * chars) / 1e6)
    onCall(problems.length > 0 ? 'failed' : applies ? 'wanted' : 'unwanted', usedMs / 1_000)
    return result
  }
}

/**
 * Event body in the form that functions of webhook routes receive. Bodies are objects written by
 * `JSON.stringify`.
 */
export function functionPayload(body: string, eventId: string, route: string): string {
  const more = `"eventId":${JSON.stringify(eventId)},"_route":${JSON.stringify({ id: route })}}`
  const end = body.lastIndexOf('}')
  const rest = body.slice(0, end)
  return rest.trimEnd().endsWith('{') ? `${rest}${more}` : `${rest},${more}`
}

function functionsOf({ id, version }: Route): string {
  return `${id}:${version}`
}

function failuresOf(
  { eventRow, event, account, eventId }: PendingEvent,
  { id: route }: Route,
  problems: FunctionResult['problems'],
) {
  const context = { route, event, account, eventId, eventRow }
  return problems.map((problem) => ({ ...problem, ...context }))
}

/** CPU time above which a call of a webhook route's functions counts as slow. */
const slowMs = 50
/** Number of consecutive slow calls that suspend the functions of a webhook route. */
const failureThreshold = 3
const openMs = backoff({ baseMs: 10_000, maxMs: 600_000 })

/**
 * Suspends functions of webhook routes that are slow several times in a row, for a time that
 * doubles with every slow probe. The suspension keeps slow functions from delaying the events of
 * all accounts.
 */
export class FunctionThrottle {
  readonly #breakers = new Map<string, CircuitBreaker>()
  readonly #clock: Clock

  constructor(clock: Clock = monotonicClock) {
    this.#clock = clock
  }

  isSuspended(functions: string): boolean {
    return this.#breakers.get(functions)?.isOpen === true
  }

  /**
   * Records the CPU time of a call of a webhook route's functions. `allowedMs`: additional time for
   * large payloads.
   */
  record(functions: string, usedMs: number, allowedMs = 0): void {
    if (usedMs <= slowMs + allowedMs) {
      this.#breakers.delete(functions)
      return
    }
    const breaker =
      this.#breakers.get(functions) ??
      new CircuitBreaker({ failureThreshold, openMs, clock: this.#clock })
    this.#breakers.set(functions, breaker)
    breaker.failure()
  }

  /** Drops the throttle state of all functions of webhook routes that are not in `functions`. */
  retain(functions: ReadonlySet<string>): void {
    for (const key of this.#breakers.keys()) if (!functions.has(key)) this.#breakers.delete(key)
  }
}
