import { type Db, roleHasTimeout, schemaIsReady } from '@posthorn/db'
import { messageOf } from '@posthorn/errors'
import { backoff, sleep } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'

/**
 * Waits until Postgres responds and all migrations of this release were applied. Logs a message
 * while waiting. Logs a warning if the Postgres role has no statement timeout. Rejects when the
 * signal aborts.
 */
export async function waitForSchema(db: Db, log: Logger, signal: AbortSignal): Promise<void> {
  const delayMs = backoff({ baseMs: 100, maxMs: 3_000 })
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted()
    try {
      if (await schemaIsReady(db)) break
      log.info('waiting for the schema, run the migrate command')
    } catch (error) {
      log.info({ reason: messageOf(error) }, 'waiting for Postgres')
    }
    await sleep(delayMs(attempt), signal)
  }
  const hasTimeout = await roleHasTimeout(db).catch(() => true)
  if (!hasTimeout) log.warn('database role has no statement timeout')
}
