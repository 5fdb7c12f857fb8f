import { field } from '../../imap-script/mime-tree.ts'
import type { ProviderResponse } from '../requests.ts'
import { GmailFailure, invalid, notFound } from './failures.ts'
import type { GmailState } from './gmail-state.ts'
import type { FakeMessage, GmailMailbox } from './mailbox.ts'
import { parseSource } from './payload.ts'

/** Message in a request to the Gmail fake: the source, and the other members. */
export interface StoredRequest {
  resource: { threadId?: string; labelIds?: string[] } & Record<string, unknown>
  raw: Buffer
  query?: URLSearchParams
}

const maxSentBytes = 36_700_160
const maxInsertBytes = 52_428_800

export function insertMessage(
  mailbox: GmailMailbox,
  { resource, raw, query }: StoredRequest,
): ProviderResponse {
  if (raw.length > maxInsertBytes) throw tooLarge()
  const labels = resource.labelIds ?? []
  for (const id of labels) if (id !== 'SENT') mailbox.assertAssignable(id)
  const date = Date.parse(field(parseSource(raw).header, 'date') ?? '')
  const isDated = query?.get('internalDateSource') === 'dateHeader' && !Number.isNaN(date)
  const threadId = threadOf(mailbox, resource.threadId)
  const message = mailbox.insert(raw, {
    labels,
    ...(isDated && { internalDate: date }),
    ...(threadId !== undefined && { threadId }),
  })
  return { body: idsOf(message) }
}

export function sendMessage(
  gmail: GmailState,
  mailbox: GmailMailbox,
  { resource, raw }: StoredRequest,
): ProviderResponse {
  return {
    body: idsOf(transmit(gmail, mailbox, { raw, threadId: threadOf(mailbox, resource.threadId) })),
  }
}

/** Stores a draft in the Gmail fake under a new message id. */
export function saveDraft(
  mailbox: GmailMailbox,
  { resource, raw, draftId }: StoredRequest & { draftId?: string },
): ProviderResponse {
  if (raw.length > maxSentBytes) throw tooLarge()
  assertAddresses(raw)
  const message = (resource['message'] ?? {}) as { threadId?: string }
  const threadId = threadOf(mailbox, message.threadId)
  const id = mailbox.saveDraft(raw, {
    ...(draftId !== undefined && { draftId }),
    ...(threadId !== undefined && { threadId }),
  })
  return { body: { id, message: idsOf(mailbox.getMessage(mailbox.drafts.get(id) ?? '')) } }
}

/**
 * Sends a message from the Gmail fake to the recipients in its header. Recipients with a mailbox in
 * the fake receive the message.
 */
export function transmit(
  gmail: GmailState,
  mailbox: GmailMailbox,
  { raw, threadId }: { raw: Buffer; threadId: string | undefined },
): FakeMessage {
  if (raw.length > maxSentBytes) throw tooLarge()
  assertAddresses(raw)
  const { header } = parseSource(raw)
  const recipients = ['to', 'cc', 'bcc'].flatMap(
    (name) => field(header, name)?.match(/[^\s<>,"]+@[^\s<>,"]+/g) ?? [],
  )
  if (recipients.length === 0) throw invalid('Recipient address required')
  gmail.sent.push({ from: mailbox.address, raw })
  const { keepsMessageId, replacesFrom } = gmail.switches
  const authored = replacesFrom ? replaceField(raw, 'From', mailbox.address) : raw
  const stored = keepsMessageId
    ? authored
    : replaceField(authored, 'Message-ID', `<CA+${gmail.newText('x')}@mail.gmail.com>`)
  const message = mailbox.insert(stored, {
    labels: ['SENT'],
    ...(threadId !== undefined && { threadId }),
  })
  for (const recipient of new Set(recipients.map((each) => each.toLowerCase())))
    gmail.mailboxes.get(recipient)?.deliver(withoutField(stored, 'bcc'))
  return message
}

export function idsOf({ id, threadId, labels }: FakeMessage): object {
  return { id, threadId, ...(labels.size > 0 && { labelIds: [...labels] }) }
}

/**
 * Checks that a thread exists in the mailbox of the Gmail fake. Without an id, returns undefined.
 */
function threadOf(mailbox: GmailMailbox, threadId: string | undefined): string | undefined {
  if (threadId === undefined) return undefined
  if (mailbox.list.some((message) => message.threadId === threadId)) return threadId
  throw notFound()
}

function assertAddresses(raw: Buffer): void {
  const to = field(parseSource(raw).header, 'to')
  if (to !== undefined && to !== '' && !to.includes('@')) throw invalid('Invalid to header')
}

function replaceField(raw: Buffer, name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from(`${name}: ${value}\r\n`), withoutField(raw, name)])
}

function withoutField(raw: Buffer, name: string): Buffer {
  const end = raw.indexOf('\r\n\r\n') + 2
  const head = raw.toString('latin1', 0, end)
  const cleaned = head.replace(new RegExp(`^${name}:.*\\r\\n(?:[ \\t].*\\r\\n)*`, 'im'), '')
  return Buffer.concat([Buffer.from(cleaned, 'latin1'), raw.subarray(end)])
}

function tooLarge(): GmailFailure {
  return new GmailFailure(413, 'uploadTooLarge', 'Request Entity Too Large')
}
