import { randomUUID } from 'node:crypto'
import { imapBackend, type ImapBackend } from '@posthorn/backends'
import { runPeriodically } from '@posthorn/flow'
import { type App, bootstrap } from '@posthorn/service'
import { createHandlers } from './commands/handlers.ts'
import { onVerifyImap } from './commands/verify-imap.ts'
import type { Config } from './config.ts'
import { runRetention } from './retention.ts'
import { createSessions } from './sessions/create-sessions.ts'
import { bindShards } from './shards/bindings.ts'
import { holdShards } from './shards/holder.ts'
import { deleteOldUploads } from './store/uploads.ts'

const name = 'sync-worker'
/** Maximum concurrent test logins at servers without an account. */
const maxVerifications = 20

export interface WorkerApp extends App {
  /** Id of the worker's row in `workers`. */
  readonly id: string
  /** Port of health and metrics. */
  readonly port: number
}

/** Starts the service. Disposal runs in reverse order, so that shards are handed off first. */
export async function startApp(
  config: Config,
  signal: AbortSignal,
  { backend = imapBackend }: { backend?: ImapBackend } = {},
): Promise<WorkerApp> {
  const id = randomUUID()
  const proof = randomUUID()
  await using stack = new AsyncDisposableStack()
  const fields = { worker: id }
  const service = await bootstrap(stack, { name, config, signal, fields })
  const { log, db, bus, port } = service
  const parts = createSessions(stack, service, { config, backend, worker: { id, proof } })
  const { sessions, settings, summaries, reader, metrics, getServerOptions, deferred } = parts
  const server = stack.use(
    await bus.serve({
      queue: 'private',
      handlers: createHandlers({ db, sessions, settings, reader }),
    }),
  )
  const start = (everyMs: number, name: string, task: Parameters<typeof runPeriodically>[1]) =>
    stack.use(runPeriodically({ everyMs, log, name }, task))
  start(5_000, 'connections', () => deferred.connections.store(db))
  start(1_000, 'sync times', () => deferred.syncTimes.store(db))
  start(3_600_000, 'retention', runRetention(db, { ...config, logRetention: parts.retention }))
  start(600_000, 'uploads', () => deleteOldUploads(db))
  stack.use(
    await bus.serve({
      queue: 'verify.imap',
      handlers: [onVerifyImap({ backend, getServerOptions, log })],
      concurrency: maxVerifications,
    }),
  )
  const observer = bindShards(server, sessions, log)
  const holder = stack.use(holdShards({ ...config, db, log, metrics, observer, worker: id, proof }))
  stack.use(
    await bus.onInvalidate(({ topic, id: account }) => {
      if (topic === 'settings') {
        settings.invalidate()
        summaries.invalidate()
      }
      if (topic === 'accounts') sessions.refresh(account)
    }),
  )
  settings.invalidate() // an earlier read may have missed an invalidation
  holder.wake()
  const resources = stack.move()
  return {
    id,
    port,
    unfinished: () => ({ ...service.unfinished(), shards: holder.leases().size }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
