import { type CommandHandler, on } from '@posthorn/bus'
import { getMessageSource } from '@posthorn/contracts'
import { assertConnected, type CommandDeps, sessionOf } from './account.ts'
import { startDownload } from './download.ts'
import { locateMessage, openFor, unlessTooNew } from './mailbox.ts'

/** The message as the server has it, piece by piece as fast as they are taken. */
export function onGetMessageSource(deps: CommandDeps): CommandHandler {
  return on(getMessageSource, async ({ account, message }, { signal }) => {
    const session = sessionOf(deps, account)
    assertConnected(session)
    const { row, uid } = await locateMessage(deps.db, account, message)
    const { download, body } = await startDownload(
      session,
      { signal, mailbox: row.path },
      async (mail) => {
        await openFor(mail, row, { readOnly: true })
        return unlessTooNew(mail, () => mail.downloadSource(uid))
      },
    )
    return { response: download.size === undefined ? {} : { size: download.size }, body }
  })
}
