import { type CommandHandler, on } from '@posthorn/bus'
import { getMessageSource } from '@posthorn/contracts'
import { assertConnected, type CommandDeps, getSession } from './account.ts'
import { startDownload } from './download.ts'
import { locateMessage, selectMailboxOf, retryAfterNoop } from './mailbox.ts'

/** The message as the server has it, piece by piece as fast as they are taken. */
export function onGetMessageSource(deps: CommandDeps): CommandHandler {
  return on(getMessageSource, async ({ account, message }, { signal }) => {
    const session = getSession(deps, account)
    assertConnected(session)
    const { row, uid } = await locateMessage(deps.db, account, message)
    const { download, body } = await startDownload(
      session,
      { signal, mailbox: row.path },
      async (mail) => {
        await selectMailboxOf(mail, row, { readOnly: true })
        return retryAfterNoop(mail, () => mail.downloadSource(uid))
      },
    )
    return { response: download.size === undefined ? {} : { size: download.size }, body }
  })
}
