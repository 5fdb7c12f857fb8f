import { type CommandHandler, on } from '@posthorn/bus'
import { changeOutbox } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import type { Logger } from '@posthorn/telemetry'
import { deleteWaiting, holdWaiting, makeDue, releaseHeld } from '../store/outbox-changes.ts'

export interface ChangeOutboxDeps {
  db: Db
  /** Polls soon. */
  wake: () => void
  log: Logger
}

const changes = { delete: deleteWaiting, hold: holdWaiting, release: releaseHeld, send: makeDue }

/** Changes a waiting submission. Idempotent, except that a repeated delete returns `missing`. */
export function onChangeOutbox({ db, wake, log }: ChangeOutboxDeps): CommandHandler {
  return on(changeOutbox, async ({ queueId, action }) => {
    const result = await changes[action](db, queueId)
    // The only trace of a deleted submission.
    if (result === 'done') log.info({ queueId, action }, 'outbox changed on request')
    if (action === 'release' || action === 'send') wake()
    return { result }
  })
}
