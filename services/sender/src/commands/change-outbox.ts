import { type CommandHandler, on } from '@posthorn/bus'
import { changeOutbox } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import type { Logger } from '@posthorn/telemetry'
import { deleteWaiting, holdWaiting, makeDue, releaseHeld } from '../store/outbox-changes.ts'

export interface ChangeDeps {
  db: Db
  /** Something may be due now. */
  wake: () => void
  log: Logger
}

const changes = { delete: deleteWaiting, hold: holdWaiting, release: releaseHeld, send: makeDue }

/** Changes a message that waits. Asked again, it finds done what is done; a message that was deleted is missing then. */
export function onChangeOutbox({ db, wake, log }: ChangeDeps): CommandHandler {
  return on(changeOutbox, async ({ queueId, action }) => {
    const result = await changes[action](db, queueId)
    // Nothing else remembers a message that was deleted.
    if (result === 'done') log.info({ queueId, action }, 'changed the outbox on request')
    if (action === 'release' || action === 'send') wake()
    return { result }
  })
}
