import type { Db } from '@posthorn/db'
import { runPeriodically } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import type { DeliveryResult } from '../store/delivery-state.ts'
import { type ClaimedDelivery, isRoute } from '../store/deliveries.ts'
import {
  clearFlagsWhileOff,
  insertRouteErrors,
  type RouteFailure,
  setErrorFlags,
} from '../store/statistics.ts'

/**
 * Log of failures of webhook routes for operators. Written once per second; a crash loses the
 * failures of the last second.
 */
export type RouteErrorLog = ReturnType<typeof startRouteErrorLog>

const everyMs = 1_000
/** Maximum failures stored per webhook route. */
const maxFailures = 20

export function startRouteErrorLog(db: Db, log: Logger) {
  let flags = new Map<string, string | null>()
  const failures = new Map<string, RouteFailure[]>()

  async function write(): Promise<void> {
    const pendingFlags = flags
    flags = new Map()
    const pending = [...failures.values()].flat()
    failures.clear()
    await setErrorFlags(db, pendingFlags)
    await clearFlagsWhileOff(db)
    await insertRouteErrors(db, pending, maxFailures)
  }
  const task = runPeriodically({ everyMs, log, name: 'route-errors' }, write)

  return {
    recordFailures(more: readonly RouteFailure[]): void {
      for (const failure of more) {
        const pending = failures.get(failure.route) ?? []
        failures.set(failure.route, [...pending, failure].slice(-maxFailures))
      }
    },
    /** Sets or clears the error flag of a webhook route by the result of a delivery attempt. */
    recordAttempt({ target }: Pick<ClaimedDelivery, 'target'>, result: DeliveryResult): void {
      if (!isRoute(target)) return
      if (result.state === 'delivered') flags.set(target, null)
      else if (result.outcome !== null && result.state !== 'dropped')
        flags.set(target, describeFailure(result))
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await task[Symbol.asyncDispose]()
      await write().catch((err: unknown) => log.debug({ err }, 'route errors not written'))
    },
  }
}

function describeFailure({ error, status, outcome }: DeliveryResult): string {
  return error ?? (status === null ? (outcome ?? 'failed') : `The target answered ${status}`)
}
