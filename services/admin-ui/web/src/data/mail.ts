import type {
  FlagUpdate,
  ListMailboxesResult,
  MailboxEntry,
  MessageDetail,
  MessagePage,
  Search,
} from '@posthorn/client'
import {
  deleteMessage,
  deleteMessages,
  getAttachment,
  getMessage,
  getMessageSource,
  listMailboxes,
  listMessages,
  moveMessage,
  moveMessages,
  searchMessages,
  updateMessage,
  updateMessages,
} from '@posthorn/client/operations'
import type { Load } from './load-state.ts'
import { calls } from './query-client.ts'
import { saveFile } from './save-file.ts'
import { useLoad } from './use-load.ts'

export type { MailboxEntry, MessageDetail, MessageEntry, Search } from '@posthorn/client'
/** Attachment of a message, without its content. */
export type Attachment = NonNullable<MessageDetail['attachments']>[number]

/** Cache key of messages. */
export const mailKey = ['mail'] as const
/** Cache key of the mailboxes of accounts. */
export const mailboxesKey = ['mailboxes'] as const

/** Maximum size in bytes of the plain text of a message that a page shows. */
const maxTextBytes = 1_000_000
const slow = { isSlow: true }

/** Loads the mailboxes of an account. */
export function useMailboxes(account: string): Load<readonly MailboxEntry[]> {
  const load = async () => {
    const { mailboxes }: ListMailboxesResult = await listMailboxes(calls.api, { account })
    return mailboxes
  }
  return useLoad([...mailboxesKey, account], load, slow)
}

/** Page of a mailbox, or of the results of a search in the mailbox. */
export interface MessagePageInput {
  account: string
  path: string
  /** Number of the page, from 0. */
  page: number
  /** Cursor of the page, for accounts on a mail API, which have no page numbers. */
  cursor?: string
  pageSize: number
}

/** Loads a page of the messages of a mailbox. With a search, only messages that match. */
export function useMessages(
  input: MessagePageInput,
  search: Search | undefined,
): Load<MessagePage> {
  return useLoad(
    [...mailKey, 'list', input, search ?? null],
    () =>
      search === undefined
        ? listMessages(calls.api, input)
        : searchMessages(calls.api, { ...input, body: { search } }),
    slow,
  )
}

/** Loads a message with its headers and its plain text. */
export function useMessage(account: string, message: string): Load<MessageDetail> {
  const input = { account, message, textType: 'plain', maxBytes: maxTextBytes } as const
  return useLoad([...mailKey, 'one', account, message], () => getMessage(calls.api, input), slow)
}

/** Message of an account. */
export interface MessageTarget {
  account: string
  message: string
}

/** Messages of a mailbox that a search selects. */
export interface MessageSelection {
  account: string
  path: string
  search: Search
}

/** Calls that change messages. */
export const messageActions = {
  mark: ({ account, message, update }: MessageTarget & { update: FlagUpdate }) =>
    updateMessage(calls.api, { account, message, body: update }),
  move: ({ account, message, ...body }: MessageTarget & { path: string; source?: string }) =>
    moveMessage(calls.api, { account, message, body }),
  remove: ({ account, message, force }: MessageTarget & { force: boolean }) =>
    deleteMessage(calls.api, { account, message, force }),
  markAll: ({ account, path, search, update }: MessageSelection & { update: FlagUpdate }) =>
    updateMessages(calls.api, { account, path, body: { search, update } }),
  moveAll: ({ account, path, search, to }: MessageSelection & { to: string }) =>
    moveMessages(calls.api, { account, path, body: { search, path: to } }),
  removeAll: ({ account, path, search }: MessageSelection) =>
    deleteMessages(calls.api, { account, path, body: { search } }),
}

/** Saves an attachment as a file of the person. */
export async function downloadAttachment({
  account,
  attachment: { id, filename },
}: {
  account: string
  attachment: Attachment
}): Promise<void> {
  const response = await getAttachment(calls.api, { account, attachment: id })
  saveFile(await response.arrayBuffer(), filename ?? 'attachment')
}

/** Saves the source of a message as a file of the person. */
export async function downloadSource(target: MessageTarget): Promise<void> {
  const response = await getMessageSource(calls.api, target)
  saveFile(await response.arrayBuffer(), 'message.eml')
}

/**
 * Path of the frame with the HTML of a message. The HTML comes with a policy of its own, so that it
 * can neither run scripts nor load anything but images.
 */
export function messageFramePath(
  { account, message }: MessageTarget,
  remoteImages: boolean,
): string {
  const path = `/admin/frame/message/${encodeURIComponent(account)}/${encodeURIComponent(message)}`
  return remoteImages ? `${path}?images=remote` : path
}
