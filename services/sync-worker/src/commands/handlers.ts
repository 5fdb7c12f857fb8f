import type { CommandHandler } from '@posthorn/bus'
import { getQuota, syncAccount } from '@posthorn/contracts'
import { type CommandDeps, onAccount, withMailSession } from './account.ts'
import { onCreateMailbox, onDeleteMailbox, onUpdateMailbox } from './change-mailbox.ts'
import { onDeleteMessage, onMoveMessage, onUpdateMessage } from './change-message.ts'
import { onGetAttachment, onGetMessageSource } from './download.ts'
import { onFileSent, onFindSent } from './file-sent.ts'
import { onGetMessage, onGetText } from './get-message.ts'
import { onListMailboxes } from './list-mailboxes.ts'
import { onListMessages, onSearchMessages } from './list-messages.ts'
import { BounceCache, MailboxCache, type ReadDeps } from './read-caches.ts'
import { onDeleteMessages, onMoveMessages, onUpdateMessages } from './update-matches.ts'
import { onUploadMessage } from './upload-message.ts'

/** Handlers of all commands that the worker of an account serves. */
export function createHandlers(
  deps: CommandDeps & Pick<ReadDeps, 'settings' | 'reader'>,
): CommandHandler[] {
  const readDeps = { ...deps, mailboxes: new MailboxCache(), bounces: new BounceCache() }
  return [
    onDeleteMessages(deps),
    onDeleteMessage(deps),
    onMoveMessages(deps),
    onMoveMessage(deps),
    onUpdateMessages(deps),
    onUpdateMessage(deps),
    onUpdateMailbox(deps),
    onDeleteMailbox(deps),
    onCreateMailbox(deps),
    onGetAttachment(deps),
    onGetMessage(readDeps),
    onGetMessageSource(deps),
    onGetQuota(deps),
    onGetText(readDeps),
    onListMailboxes(deps),
    onListMessages(readDeps),
    onSearchMessages(readDeps),
    onSyncAccount(deps),
    onUploadMessage(deps),
    onFileSent(deps),
    onFindSent(deps),
  ]
}

function onGetQuota(deps: CommandDeps): CommandHandler {
  return onAccount(deps, getQuota, (_request, target) =>
    withMailSession(target, {}, async (mail) => ({
      quota: (await mail.quota()) ?? (false as const),
    })),
  )
}

/** Requests a full sync. Requests that arrive before it starts are merged into it. */
function onSyncAccount(deps: CommandDeps): CommandHandler {
  return onAccount(deps, syncAccount, async (_request, { session }) => {
    session.requestFullSync()
    return { sync: true as const }
  })
}
