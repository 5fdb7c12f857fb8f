import type { CommandHandler } from '@posthorn/bus'
import type { CommandDeps } from './account.ts'
import { onGetAttachment } from './get-attachment.ts'
import { onGetMessageSource } from './get-message-source.ts'
import { onGetMessage } from './get-message.ts'
import { onGetQuota } from './get-quota.ts'
import { onGetText } from './get-text.ts'
import { onListMailboxes } from './list-mailboxes.ts'
import { onListMessages } from './list-messages.ts'
import { onSearchMessages } from './search-messages.ts'
import { onSyncAccount } from './sync-account.ts'
import { onUploadMessage } from './upload-message.ts'

/** Every command that the holder of an account's shard answers, with its handler. */
export function allHandlers(deps: CommandDeps): CommandHandler[] {
  return [
    onGetAttachment(deps),
    onGetMessage(deps),
    onGetMessageSource(deps),
    onGetQuota(deps),
    onGetText(deps),
    onListMailboxes(deps),
    onListMessages(deps),
    onSearchMessages(deps),
    onSyncAccount(deps),
    onUploadMessage(deps),
  ]
}
