import type {
  AppendOptions,
  BodyPart,
  Capabilities,
  FetchOptions,
  FlagsUpdate,
  MailboxNotification,
  MailSession,
  MessagePartsRequest,
  PartRequest,
  SearchTerms,
  UidQuery,
  UidRange,
} from '../mail-session.ts'
import { appendMessage } from './messages/append.ts'
import { capabilitiesOf } from './connection/capabilities.ts'
import { changesSince } from './messages/changes.ts'
import type { ImapConnection } from './connection/connection.ts'
import { downloadPart, downloadSource } from './messages/download.ts'
import { emailIds } from './messages/email-ids.ts'
import { fetchArrivalTimes } from './messages/arrival-times.ts'
import { fetchBySequence, fetchMessages } from './messages/fetch.ts'
import { confirmFlags } from './messages/confirm-flags.ts'
import { changeFlags, changeLabels, readFlags } from './messages/flags.ts'
import {
  createMailbox,
  deleteMailbox,
  renameMailbox,
  subscribe,
} from './mailboxes/mailbox-commands.ts'
import { listMailboxes } from './mailboxes/list.ts'
import { ensureSelected, select } from './mailboxes/select-mailbox.ts'
import { status } from './mailboxes/status.ts'
import { expungeMessages, moveMessages } from './messages/move.ts'
import { quota } from './mailboxes/quota.ts'
import { UidSearch } from './messages/search.ts'
import { readParts, readPartsOfAll } from './messages/parts.ts'
import { Watch, type WatchOptions } from './watch.ts'

/**
 * Session with an IMAP server on one authenticated connection. The methods are documented in
 * `MailSession`.
 */
export class ImapSession implements MailSession {
  readonly capabilities: Capabilities
  readonly user: string
  readonly closed: Promise<Error | undefined>
  readonly #connection: ImapConnection
  readonly #search: UidSearch
  readonly #watch: Watch

  constructor(connection: ImapConnection, user: string, options: WatchOptions) {
    const { client } = connection
    this.#connection = connection
    this.#search = new UidSearch(connection)
    this.user = typeof client.authenticated === 'string' ? client.authenticated : user
    this.closed = connection.closed
    this.capabilities = capabilitiesOf(client)
    this.#watch = new Watch(connection, this.capabilities, options)
  }

  listMailboxes(options: { status?: boolean } = {}) {
    return listMailboxes(this.#connection, options)
  }

  status(path: string) {
    return status(this.#connection, path)
  }

  select(path: string, { readOnly = false }: { readOnly?: boolean } = {}) {
    return select(this.#connection, path, readOnly)
  }

  ensureSelected(path: string, options: { readOnly?: boolean; fresh?: boolean } = {}) {
    return ensureSelected(this.#connection, path, options)
  }

  searchUids(query: UidQuery) {
    return this.#search.run(query)
  }

  changesSince(since: bigint) {
    return changesSince(this.#connection, since)
  }

  fetchMessages(uids: readonly UidRange[], options?: FetchOptions) {
    return fetchMessages(this.#connection, uids, options)
  }

  arrivalTimes(uids: readonly UidRange[]) {
    return fetchArrivalTimes(this.#connection, uids)
  }

  fetchBySequence(first: number, last: number) {
    return fetchBySequence(this.#connection, first, last)
  }

  readParts(uid: number, structure: BodyPart, wanted: readonly PartRequest[]) {
    return readParts(this.#connection, uid, { structure, wanted })
  }

  readPartsOfAll(requests: readonly MessagePartsRequest[]) {
    return readPartsOfAll(this.#connection, requests)
  }

  downloadPart(uid: number, part: string, options: { maxBytes?: number } = {}) {
    return downloadPart(this.#connection, uid, { part, ...options })
  }

  downloadSource(uid: number) {
    return downloadSource(this.#connection, uid)
  }

  createMailbox(path: string | readonly string[]) {
    return createMailbox(this.#connection, path)
  }

  renameMailbox(path: string, newPath: string | readonly string[]) {
    return renameMailbox(this.#connection, path, newPath)
  }

  deleteMailbox(path: string) {
    return deleteMailbox(this.#connection, path)
  }

  subscribe(path: string, subscribed: boolean) {
    return subscribe(this.#connection, path, subscribed)
  }

  quota() {
    return quota(this.#connection)
  }

  search(terms: SearchTerms) {
    return this.#search.search(terms)
  }

  emailIds(uids: readonly UidRange[]) {
    return emailIds(this.#connection, uids)
  }

  changeFlags(uids: readonly UidRange[], change: FlagsUpdate) {
    return changeFlags(this.#connection, uids, change)
  }

  confirmFlags(uids: readonly UidRange[], change: FlagsUpdate) {
    return confirmFlags(this.#connection, uids, change)
  }

  readFlags(uids: readonly UidRange[]) {
    return readFlags(this.#connection, uids)
  }

  changeLabels(uids: readonly UidRange[], change: FlagsUpdate) {
    return changeLabels(this.#connection, uids, change)
  }

  moveMessages(uids: readonly UidRange[], path: string) {
    return moveMessages(this.#connection, uids, path)
  }

  expungeMessages(uids: readonly UidRange[]) {
    return expungeMessages(this.#connection, uids)
  }

  appendMessage(path: string, content: Buffer, options: AppendOptions = {}) {
    return appendMessage(this.#connection, path, { ...options, content })
  }

  watch(
    onNotification: (notification: MailboxNotification) => void,
    signal: AbortSignal,
    options: { everywhere?: boolean } = {},
  ) {
    return this.#watch.run(onNotification, signal, options)
  }

  async ping() {
    await this.#connection.call((client) => this.#connection.noop(client))
  }

  [Symbol.asyncDispose]() {
    return this.#connection.close()
  }
}
