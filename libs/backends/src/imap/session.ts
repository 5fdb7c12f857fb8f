import type {
  BodyPart,
  Capabilities,
  Download,
  FetchedMessage,
  FetchOptions,
  ListedMailbox,
  MailboxChange,
  MailboxNotice,
  MailboxStatus,
  MailSession,
  OpenedMailbox,
  SelectedMailbox,
  UidQuery,
  UidRange,
  WantedPart,
} from '../backend.ts'
import { capabilitiesOf } from './capabilities.ts'
import { changesSince } from './changes.ts'
import type { ImapConnection } from './connection.ts'
import { downloadPart, downloadSource } from './download.ts'
import { fetchMessages, fetchPlaces } from './fetch.ts'
import { changeFlags, type FlagsChange } from './flags.ts'
import { listMailboxes } from './list.ts'
import { select } from './mailboxes.ts'
import { status } from './status.ts'
import { UidSearch } from './search.ts'
import { open } from './open.ts'
import { readParts } from './parts.ts'
import { type Timings, Watch } from './watch.ts'

/** One IMAP connection that is logged in. */
export class ImapSession implements MailSession {
  readonly capabilities: Capabilities
  readonly user: string
  readonly closed: Promise<Error | undefined>
  readonly #connection: ImapConnection
  readonly #search: UidSearch
  readonly #watch: Watch

  constructor(connection: ImapConnection, user: string, timings: Timings) {
    const { client } = connection
    this.#connection = connection
    this.#search = new UidSearch(connection)
    this.#watch = new Watch(connection, timings)
    this.user = typeof client.authenticated === 'string' ? client.authenticated : user
    this.closed = connection.closed
    this.capabilities = capabilitiesOf(client)
  }

  listMailboxes(options: { status?: boolean } = {}): Promise<ListedMailbox[]> {
    return listMailboxes(this.#connection, options)
  }

  status(path: string): Promise<MailboxStatus> {
    return status(this.#connection, path)
  }

  select(
    path: string,
    { readOnly = false }: { readOnly?: boolean } = {},
  ): Promise<SelectedMailbox> {
    return select(this.#connection, path, readOnly)
  }

  open(
    path: string,
    options: { readOnly?: boolean; fresh?: boolean } = {},
  ): Promise<OpenedMailbox> {
    return open(this.#connection, path, options)
  }

  searchUids(query: UidQuery): Promise<UidRange[]> {
    return this.#search.run(query)
  }

  changesSince(since: bigint): AsyncIterable<MailboxChange> {
    return changesSince(this.#connection, since)
  }

  fetchMessages(uids: readonly UidRange[], options?: FetchOptions): AsyncIterable<FetchedMessage> {
    return fetchMessages(this.#connection, uids, options)
  }

  fetchPlaces(first: number, last: number): Promise<FetchedMessage[]> {
    return fetchPlaces(this.#connection, first, last)
  }

  readParts(
    uid: number,
    structure: BodyPart,
    wanted: readonly WantedPart[],
  ): Promise<Map<string, Buffer>> {
    return readParts(this.#connection, uid, { structure, wanted })
  }

  downloadPart(uid: number, part: string, options: { maxBytes?: number } = {}): Promise<Download> {
    return downloadPart(this.#connection, uid, { part, ...options })
  }

  downloadSource(uid: number): Promise<Download> {
    return downloadSource(this.#connection, uid)
  }

  changeFlags(uid: number, change: FlagsChange): Promise<void> {
    return changeFlags(this.#connection, uid, change)
  }

  watch(notice: (notice: MailboxNotice) => void, signal: AbortSignal): Promise<void> {
    return this.#watch.run(notice, signal)
  }

  async ping(): Promise<void> {
    await this.#connection.call((client) => this.#connection.noop(client))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#connection.close()
  }
}
