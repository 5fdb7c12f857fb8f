import type { ApiFolder, MailApi, MailApiFailure, MessageQuery } from '../../src/mail-api/index.ts'

/** Placement and flags of a delivered message. Default: the message arrives unseen in the inbox. */
export interface DeliveredPlacement {
  folderId?: string
  unseen?: boolean
  receivedAt?: Date
  /** Id of the message, one of `ids`. */
  id?: string
}

/** Unused mailbox at a provider, a fake of it or the model. */
export interface MailApiEnvironment extends AsyncDisposable {
  readonly api: MailApi
  /** Ids that the provider may give to messages, in all forms. */
  readonly ids: readonly string[]
  /** True if clients get the provider's status instead of a code (Gmail). */
  readonly passesStatus: boolean
  /** Stores a message (RFC 5322) as another client and returns its id. */
  deliver(raw: string, placed?: DeliveredPlacement): Promise<string>
  /** Lets the next `count` reads of a message find nothing, as after an early notification. */
  hide(id: string, count: number): void
  /** Lets all cursors of feeds expire. */
  expireCursors(): void
  /** Ends all watches without a notification. */
  removeWatches(): void
  /** Fails the next request in the provider's form, permanently enough for the client to report. */
  failNext(failure: MailApiFailure, retryAfterMs?: number): void
  /** Sources of the messages that left the mailbox, in order. */
  sent(): readonly string[]
}

export type CreateEnvironment = () => Promise<MailApiEnvironment>

/** Defines a test of the suite. */
export type DefineCase = (name: string, run: () => Promise<void>) => void

/** Signal of calls that are not aborted. */
export const { signal } = new AbortController()

/** Message with a Message-ID header that contains its subject. */
export function mail(subject: string, extra = ''): string {
  return `From: Ann <ann@mail.example>\r\nTo: bob@mail.example\r\nSubject: ${subject}\r\nMessage-ID: <${subject}@mail.example>\r\n${extra}\r\nhello ${subject}\r\n`
}

/** @throws Error if the mailbox has no folder with this special use */
export async function folderOf(api: MailApi, specialUse: string): Promise<ApiFolder> {
  const folder = (await api.folders(signal)).find((each) => each.specialUse === specialUse)
  if (!folder) throw new Error(`no folder ${specialUse}`)
  return folder
}

/** Ids of all pages of a list. */
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

/** True if a message is in a folder. */
export async function isIn(api: MailApi, id: string, folderId: string): Promise<boolean> {
  const { labels, folderId: only } = await api.getMessage(id, {}, signal)
  return api.traits.placement === 'labels' ? labels.includes(folderId) : only === folderId
}
