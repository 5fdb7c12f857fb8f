import type { MailSession } from '@posthorn/backends'
import { type CommandHandler, on } from '@posthorn/bus'
import { updateMessage } from '@posthorn/contracts'
import { assertConnected, type CommandDeps, sessionOf, withMailServer } from './account.ts'
import { applyUpdate, assertLabels, readyToChange, resultOf } from './change-message.ts'
import { locateMessage } from './mailbox.ts'

/** Changes flags and labels of a message. That they are different is told by the sync, as of anybody's change. */
export function onUpdateMessage(deps: CommandDeps): CommandHandler {
  return on(updateMessage, async ({ account, message, update }, { signal }) => {
    const session = sessionOf(deps, account)
    assertConnected(session)
    const { row, uid } = await locateMessage(deps.db, account, message)
    const ready = async (mail: MailSession) => {
      assertLabels(mail, update)
      await readyToChange({ row, uid })(mail)
    }
    await withMailServer(session, { signal, mailbox: row.path, ready }, async (mail) => {
      try {
        await applyUpdate(mail, [[uid, uid]], update)
      } finally {
        session.lookAt([row.id])
      }
    })
    return resultOf(update, true)
  })
}
