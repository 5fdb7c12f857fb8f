import { setImmediate } from 'node:timers/promises'
import { defined } from '@posthorn/contracts/defined'
import type { FetchMessageObject, MessageAddressObject, MessageEnvelopeObject } from 'imapflow'
import type {
  EnvelopeAddress,
  FetchedMessage,
  FetchedSection,
  MessageFlags,
  Section,
} from '../../mail-session.ts'
import { type LimitedItem, truncationMarks } from '../responses/limits.ts'
import { toBodyPart } from './structure.ts'
import { clean, cleanIfPresent } from '../text.ts'

type Envelope = FetchedMessage['envelope']

/**
 * Number of FETCH responses that are converted to messages per tick of the event loop. Converting a
 * large message takes 2 ms.
 */
const messagesPerTick = 10

export function toMessageFlags({ uid, flags, modseq, labels }: FetchMessageObject): MessageFlags {
  return defined({
    uid,
    flags: [...(flags ?? [])].map(clean),
    modseq,
    labels: labels && [...labels].map(clean),
  })
}

/** Converts FETCH responses (rows) to messages, ordered by UID. */
export async function toFetchedMessages(
  rows: Iterable<FetchMessageObject>,
  requested: readonly Section[],
): Promise<FetchedMessage[]> {
  const messages: FetchedMessage[] = []
  for (const row of [...rows].sort((one, other) => one.uid - other.uid)) {
    messages.push(toFetchedMessage(row, requested))
    if (messages.length % messagesPerTick === 0) await setImmediate()
  }
  return messages
}

/**
 * Converts a FETCH response (row) to a message. Missing and invalid values are left out, never
 * replaced by defaults.
 */
export function toFetchedMessage(
  row: FetchMessageObject,
  requested: readonly Section[] = [],
): FetchedMessage {
  const envelope = toEnvelope(row.envelope ?? {})
  const { emailId, threadId, headers, bodyParts } = row
  return defined({
    ...toMessageFlags(row),
    size: row.size ?? 0,
    internalDate: validDate(row.internalDate) ?? envelope.date ?? new Date(0),
    envelope,
    bodyStructure: row.bodyStructure
      ? toBodyPart(row.bodyStructure)
      : { type: 'application/octet-stream' },
    headers,
    sections: requested.length > 0 ? fetchedSections(bodyParts, requested) : undefined,
    emailId: cleanIfPresent(emailId),
    threadId: cleanIfPresent(threadId),
    incomplete: row.envelope && row.bodyStructure ? undefined : true,
    truncated: truncatedItems(bodyParts),
  })
}

function fetchedSections(
  parts: FetchMessageObject['bodyParts'],
  requested: readonly Section[],
): FetchedSection[] {
  return requested.flatMap((section) => {
    const bytes = parts?.get(section.key.toLowerCase())
    return bytes ? [{ ...section, bytes }] : []
  })
}

const limitedItems: readonly LimitedItem[] = ['envelope', 'structure', 'flags']

function truncatedItems(parts: FetchMessageObject['bodyParts']): LimitedItem[] | undefined {
  const items = limitedItems.filter((item) => parts?.has(truncationMarks[item]))
  return items.length > 0 ? items : undefined
}

function toEnvelope({ subject, messageId, inReplyTo, ...rest }: MessageEnvelopeObject): Envelope {
  return defined({
    date: validDate(rest.date),
    subject: subject === undefined ? undefined : clean(subject),
    messageId: cleanIfPresent(messageId),
    inReplyTo: cleanIfPresent(inReplyTo),
    from: toAddresses(rest.from),
    sender: toAddresses(rest.sender),
    replyTo: toAddresses(rest.replyTo),
    to: toAddresses(rest.to),
    cc: toAddresses(rest.cc),
    bcc: toAddresses(rest.bcc),
  })
}

/**
 * Converts addresses of an IMAP envelope. The start of a group (RFC 5322 §3.4) becomes a name
 * without an address.
 */
function toAddresses(addresses: readonly MessageAddressObject[] = []): EnvelopeAddress[] {
  return addresses.map(({ name, address }) =>
    defined({ name: cleanIfPresent(name), address: cleanIfPresent(address) }),
  )
}

/**
 * Valid date of a message. Undefined for invalid dates and for years that Postgres or JSON cannot
 * represent.
 */
function validDate(date: Date | string | undefined): Date | undefined {
  if (!(date instanceof Date) || Number.isNaN(date.getTime())) return undefined
  const year = date.getUTCFullYear()
  return year >= 0 && year <= 9_999 ? date : undefined
}
