import type { MailSession } from '@posthorn/backends'
import { type CommandHandler, on } from '@posthorn/bus'
import { updateMessage } from '@posthorn/contracts'
import { assertConnected, type CommandDeps, getSession, withMailSession } from './account.ts'
import { applyUpdate, assertLabelSupport, prepareChange, updateResult } from './change-message.ts'
import { locateMessage } from './mailbox.ts'

/** Changes flags and labels of a message. That they are different is told by the sync, as of anybody's change. */
export function onUpdateMessage(deps: CommandDeps): CommandHandler {
  return on(updateMessage, async ({ account, message, update }, { signal }) => {
    const session = getSession(deps, account)
    assertConnected(session)
    const { row, uid } = await locateMessage(deps.db, account, message)
    const ready = async (mail: MailSession) => {
      assertLabelSupport(mail, update)
      await prepareChange({ row, uid })(mail)
    }
    await withMailSession(session, { signal, mailbox: row.path, prepare: ready }, async (mail) => {
      try {
        await applyUpdate(mail, [[uid, uid]], update)
      } finally {
        session.requestSync([row.id])
      }
    })
    return updateResult(update, true)
  })
}
