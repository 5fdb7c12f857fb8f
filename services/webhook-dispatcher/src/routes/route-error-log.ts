import type { Db } from '@posthorn/db'
import { runPeriodically } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import type { ClaimedDelivery } from '../store/deliveries.ts'
import type { DeliveryResult } from '../store/results.ts'
import { isRoute } from '../targets/target.ts'
import {
  clearFlagsWhileOff,
  insertRouteErrors,
  type RouteFailure,
  setErrorFlags,
} from '../store/route-states.ts'

/** Written down about routes, for people to look at; what a process that dies had not written is not missed. */
export interface RouteErrorLog extends AsyncDisposable {
  recordFailures(failures: readonly RouteFailure[]): void
  /** What came of an attempt. */
  recordAttempt(delivery: Pick<ClaimedDelivery, 'target'>, result: DeliveryResult | undefined): void
}

const everyMs = 1_000
/** Of each route. */
const keptFailures = 20

export function startRouteErrorLog(db: Db, log: Logger): RouteErrorLog {
  let flags = new Map<string, string | null>()
  const failures = new Map<string, RouteFailure[]>()

  async function write(): Promise<void> {
    const written = flags
    flags = new Map()
    const failed = [...failures.values()].flat()
    failures.clear()
    await setErrorFlags(db, written)
    await clearFlagsWhileOff(db)
    await insertRouteErrors(db, failed, keptFailures)
  }
  const writing = runPeriodically({ everyMs, log, name: 'route-notes' }, write)

  return {
    recordFailures(more) {
      for (const failure of more) {
        const known = failures.get(failure.route) ?? []
        failures.set(failure.route, [...known, failure].slice(-keptFailures))
      }
    },
    recordAttempt({ target }, result) {
      if (!isRoute(target) || !result) return
      if (result.state === 'delivered') flags.set(target, null)
      else if (result.outcome !== null && result.state !== 'dropped')
        flags.set(target, describe(result))
    },
    async [Symbol.asyncDispose]() {
      await writing[Symbol.asyncDispose]()
      await write().catch((err: unknown) => log.debug({ err }, 'notes of routes are lost'))
    },
  }
}

function describe({ error, status, outcome }: DeliveryResult): string {
  return error ?? (status === null ? (outcome ?? 'failed') : `The target answered ${status}`)
}
