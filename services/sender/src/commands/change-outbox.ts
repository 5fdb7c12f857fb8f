import { type CommandHandler, on } from '@posthorn/bus'
import { changeOutbox } from '@posthorn/contracts/commands/outbox'
import type { Db } from '@posthorn/db'
import type { Logger } from '@posthorn/telemetry'
import { changeSubmission } from '../store/outbox-changes.ts'

export interface ChangeOutboxDeps {
  db: Db
  /** Starts the next poll of the outbox (table of submissions) soon. */
  wake: () => void
  log: Logger
}

/**
 * Handles the command that changes a waiting submission. Idempotent, except that a repeated
 * deletion returns `missing`.
 */
export function onChangeOutbox({ db, wake, log }: ChangeOutboxDeps): CommandHandler {
  return on(changeOutbox, async ({ queueId, action }) => {
    const result = await changeSubmission(db, queueId, action)
    // Logs the change of the outbox. The log line is the only trace of a deleted submission.
    if (result === 'done') log.info({ queueId, action }, 'outbox changed on request')
    if (action === 'release' || action === 'send') wake()
    return { result }
  })
}
