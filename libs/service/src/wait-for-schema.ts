import { setTimeout as delay } from 'node:timers/promises'
import { type Db, schemaIsReady } from '@posthorn/db'
import { messageOf } from '@posthorn/errors'
import type { Logger } from '@posthorn/telemetry'

/** Waits until Postgres answers and has every migration this code knows; says so while it waits. Rejects when the signal aborts. */
export async function waitForSchema(db: Db, log: Logger, signal: AbortSignal): Promise<void> {
  for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 3_000)) {
    signal.throwIfAborted()
    try {
      if (await schemaIsReady(db)) return
      log.info('waiting for the schema: run the migrate command')
    } catch (error) {
      log.info({ reason: messageOf(error) }, 'waiting for Postgres')
    }
    await delay(waitMs, undefined, { signal })
  }
}
