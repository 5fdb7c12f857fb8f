import type { MailApi } from '@posthorn/backends/mail-api'
import type { Db, SettingsCache } from '@posthorn/db'
import type { Semaphore } from '@posthorn/flow'
import type { MessageReader } from '@posthorn/message-reader'
import type { AccountCommandName, AccountReply } from '../../account-driver.ts'
import type { BounceCache } from '../../messages/bounce-cache.ts'
import type { FolderCache } from './folder-cache.ts'

/** Dependencies of commands to accounts at mail APIs, shared by all accounts of a worker. */
export interface ApiCommandDeps {
  readonly db: Db
  readonly settings: SettingsCache
  readonly reader: Pick<MessageReader, 'forAccount'>
  readonly folders: FolderCache
  readonly bounces: BounceCache
  /** Bytes of uploaded messages in memory. */
  readonly uploadMemory: Semaphore
}

/** Command to an account at a mail API in execution. */
export interface ApiCommand extends ApiCommandDeps {
  readonly api: MailApi
  readonly account: string
  /** Identity of the account session, for caches. */
  readonly session: object
  readonly signal: AbortSignal
  /** End of the request, in epoch milliseconds. */
  readonly deadline: number
  /**
   * Requests a sync pass, which records the events of a change: over the folders of these messages,
   * with placement `folder` only, or over all feeds.
   */
  readonly requestPass: (messages?: readonly string[]) => void
  /** Requests a sync pass over all feeds, also over folders that the provider refused before. */
  readonly requestSync: () => void
}

/**
 * Command whose request was checked: ids and cursors of another form are rejected without a request
 * to the provider, whatever the state of the account.
 */
export type ApiWork<Name extends AccountCommandName> = (
  command: ApiCommand,
) => Promise<AccountReply<Name>>

/** Requests a sync pass, which records the events of a changed message. */
export function requestChanges(
  { api, requestPass }: Pick<ApiCommand, 'api' | 'requestPass'>,
  id: string,
): void {
  requestPass(api.traits.placement === 'folder' ? [id] : undefined)
}
