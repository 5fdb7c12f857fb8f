import type { CommandHandler } from '@posthorn/bus'
import type { SettingsCache } from '@posthorn/db'
import type { CommandDeps } from './account.ts'
import { onFileSent } from './file-sent.ts'
import { onFindSent } from './find-sent.ts'
import { onGetAttachment } from './get-attachment.ts'
import { onGetMessageSource } from './get-message-source.ts'
import { onGetMessage } from './get-message.ts'
import { onGetQuota } from './get-quota.ts'
import { onGetText } from './get-text.ts'
import { BounceCache } from './bounce-cache.ts'
import { MailboxCache } from './mailbox-cache.ts'
import { onListMailboxes } from './list-mailboxes.ts'
import { onListMessages } from './list-messages.ts'
import { onSearchMessages } from './search-messages.ts'
import { onSyncAccount } from './sync-account.ts'
import { onUploadMessage } from './upload-message.ts'
import { onCreateMailbox } from './create-mailbox.ts'
import { onDeleteMailbox } from './delete-mailbox.ts'
import { onUpdateMailbox } from './update-mailbox.ts'
import { onUpdateMessage } from './update-message.ts'
import { onUpdateMessages } from './update-messages.ts'
import { onMoveMessage } from './move-message.ts'
import { onMoveMessages } from './move-messages.ts'
import { onDeleteMessage } from './delete-message.ts'
import { onDeleteMessages } from './delete-messages.ts'

/** Every command that the holder of an account's shard answers, with its handler. */
export function createHandlers(deps: CommandDeps & { settings: SettingsCache }): CommandHandler[] {
  const reading = { ...deps, mailboxes: new MailboxCache(), bounces: new BounceCache() }
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
    onGetMessage(reading),
    onGetMessageSource(deps),
    onGetQuota(deps),
    onGetText(reading),
    onListMailboxes(deps),
    onListMessages(reading),
    onSearchMessages(reading),
    onSyncAccount(deps),
    onUploadMessage(deps),
    onFileSent(deps),
    onFindSent(deps),
  ]
}
