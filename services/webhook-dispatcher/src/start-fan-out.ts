import { runPeriodically } from '@posthorn/flow'
import type { Sandbox } from '@posthorn/sandbox'
import type { Dispatcher } from './dispatch/dispatcher.ts'
import { consumeHints, createFanOutRuns, sweepFanOut, sweepPublish } from './events/fan-out-runs.ts'
import { batchSize, createFanOut } from './events/fan-out.ts'
import { decideRoutes } from './routes/decide.ts'
import type { DispatcherContext } from './start-dispatcher.ts'
import { runReplays } from './store/replays.ts'

/** Clients, routes and metrics with which fan-outs create webhook deliveries. */
export type FanOutContext = Omit<DispatcherContext, 'config' | 'closeTimeoutMs' | 'metrics'>

/**
 * Maximum partitions (groups of accounts) for whose events webhook deliveries are created
 * concurrently (fan-out). Each fan-out uses a connection to Postgres.
 */
const maxFanOuts = 4
/** Interval between searches for lost RabbitMQ messages of events, and for requested replays. */
const sweepEveryMs = 1_000

/**
 * Starts the fan-outs, which create the webhook deliveries of events, and the periodic tasks for
 * events whose RabbitMQ messages were lost and for replays.
 */
export async function startFanOut(
  context: FanOutContext,
  dispatcher: Dispatcher,
  sandbox: Sandbox,
): Promise<void> {
  const { db, bus, log, stack, measured, bodies, routes, routeErrors } = context
  const onCall = measured.functionCalled
  const decide = decideRoutes({ db, bodies, sandbox, routes, batchSize, onCall })
  const onFannedOut = measured.fannedOut
  const fanOut = createFanOut({ db, dispatcher, decide, routes, routeErrors, onFannedOut })
  const requestRun = createFanOutRuns(fanOut, maxFanOuts)
  const sweeps = {
    'sweep-fan-out': sweepFanOut(db, requestRun),
    'sweep-publish': sweepPublish(db, bus),
    replays: runReplays(db, () => dispatcher.poll()),
  }
  for (const [name, sweep] of Object.entries(sweeps))
    stack.use(runPeriodically({ everyMs: sweepEveryMs, log, name }, sweep))
  stack.use(await consumeHints(bus, requestRun))
}
