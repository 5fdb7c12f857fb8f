import type { ApiFolder, MailApi, MailApiFailure, MessageQuery } from '../../src/mail-api/index.ts'

/**
 * Placement and flags of a message that is delivered to the test mailbox. By default, the message
 * arrives unseen in the inbox.
 */
export interface DeliveredPlacement {
  folderId?: string
  unseen?: boolean
  receivedAt?: Date
  /** Id of the delivered message, from the list `ids` of the environment. */
  id?: string
}

/** Unused test mailbox: at a mail provider, at a fake of the provider, or in the model. */
export interface MailApiEnvironment extends AsyncDisposable {
  readonly api: MailApi
  /** Ids that the mail provider may give to messages, in all forms of ids. */
  readonly ids: readonly string[]
  /** True if API clients get the provider's HTTP status instead of an error code (Gmail). */
  readonly passesStatus: boolean
  /**
   * Stores a message (RFC 5322) in the test mailbox as another client and returns the message id.
   */
  deliver(raw: string, placed?: DeliveredPlacement): Promise<string>
  /**
   * Makes the next `count` reads of a message report it as missing, as after an early notification.
   */
  hide(id: string, count: number): void
  /** Makes all cursors of the mailbox's feeds (change lists) expire. */
  expireCursors(): void
  /**
   * Ends all watches (registrations for notifications) of the test mailbox without a notification.
   */
  removeWatches(): void
  /**
   * Makes the mail provider refuse the next request with this failure, and repeats of the request,
   * until the client reports the failure.
   */
  failNext(failure: MailApiFailure, retryAfterMs?: number): void
  /** Sources of the messages that were sent from the test mailbox, in order. */
  sent(): readonly string[]
}

export type CreateEnvironment = () => Promise<MailApiEnvironment>

/** Function that defines one test of the conformance suite for mail APIs. */
export type DefineCase = (name: string, run: () => Promise<void>) => void

/** Abort signal for mail API calls that no test aborts. */
export const { signal } = new AbortController()

/** Source of a message (RFC 5322) whose Message-ID header contains its subject. */
export function mail(subject: string, extra = ''): string {
  return `From: Ann <ann@mail.example>\r\nTo: bob@mail.example\r\nSubject: ${subject}\r\nMessage-ID: <${subject}@mail.example>\r\n${extra}\r\nhello ${subject}\r\n`
}

/**
 * Finds the folder of a mailbox with a special use.
 * @throws Error if the mailbox has no such folder
 */
export async function folderOf(api: MailApi, specialUse: string): Promise<ApiFolder> {
  const folder = (await api.folders(signal)).find((each) => each.specialUse === specialUse)
  if (!folder) throw new Error(`no folder ${specialUse}`)
  return folder
}

/** Ids of the messages on all pages of a message list. */
export async function listAll(api: MailApi, query: MessageQuery): Promise<string[]> {
  const ids: string[] = []
  let pageToken: string | undefined
  do {
    const page = { limit: 100, ...(pageToken === undefined ? {} : { pageToken }) }
    const list = await api.listIds(query, page, signal)
    ids.push(...list.entries.map(({ id }) => id))
    pageToken = list.nextPageToken
  } while (pageToken !== undefined)
  return ids
}

/** True if a mail API reports a message as part of a folder. */
export async function isIn(api: MailApi, id: string, folderId: string): Promise<boolean> {
  const { labels, folderId: only } = await api.getMessage(id, {}, signal)
  return api.traits.placement === 'labels' ? labels.includes(folderId) : only === folderId
}
