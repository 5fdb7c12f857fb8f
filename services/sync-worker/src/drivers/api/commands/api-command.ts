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
  /** Weighted semaphore that limits the bytes of uploaded messages in memory. */
  readonly uploadMemory: Semaphore
}

/** Context in which a command for an account at a mail API is executed. */
export interface ApiCommand extends ApiCommandDeps {
  readonly api: MailApi
  readonly account: string
  /** Object that identifies the account session. Used as a key of caches. */
  readonly session: object
  readonly signal: AbortSignal
  /** Deadline of the command in epoch milliseconds. */
  readonly deadline: number
  /**
   * Requests a sync pass, which records the events of a change. If each message is in one folder
   * (placement `folder`), the pass reads only the folders of the given messages, otherwise all
   * feeds (lists of changes).
   */
  readonly requestPass: (messages?: readonly string[]) => void
  /**
   * Requests a sync pass over all feeds (lists of changes), including folders that the provider
   * refused before.
   */
  readonly requestSync: () => void
}

/**
 * Command for an account at a mail API, after the validation of its request. Ids and cursors in a
 * wrong format are rejected earlier, without a request to the provider and in any state of the
 * account.
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
