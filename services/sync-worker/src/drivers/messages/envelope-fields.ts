import type { EnvelopeAddress, FetchedMessage } from '@posthorn/backends'
import { defined } from '@posthorn/contracts/defined'

type Envelope = FetchedMessage['envelope']

/** Maximum characters of a subject. RFC 5322 sets no limit. */
const maxSubject = 10_240

/** Builds the members of a message entry that come from the message's header. Pure. */
export function envelopeFields(envelope: Envelope, receivedAt: Date) {
  const { date, subject, messageId, inReplyTo } = envelope
  return defined({
    date: dateOf(date, receivedAt),
    subject: subject?.slice(0, maxSubject),
    ...addressesOf(envelope),
    messageId,
    inReplyTo,
  })
}

/**
 * Selects the first Reply-To address that differs from `from`. Used for events, which contain only
 * one Reply-To address.
 */
export function selectReplyTo(
  replyTo: readonly EnvelopeAddress[] = [],
  from?: EnvelopeAddress,
): { replyTo?: EnvelopeAddress } {
  const other = replyTo.find((address) => !isSameAddress(address, from))
  return other ? { replyTo: other } : {}
}

/**
 * Builds the address members of a message entry. Leaves out `sender` and `replyTo` if they equal
 * `from`, because servers fill missing fields from `from` (RFC 9051 §7.5.2).
 */
function addressesOf(envelope: Envelope) {
  const from = firstAddress(envelope.from)
  const sender = firstAddress(envelope.sender)
  const replyTo = envelope.replyTo.map(toAddress)
  const differs = !isFrom(replyTo, from ? [from] : []) && !isFrom(replyTo, envelope.from)
  return {
    from,
    sender: sender && !isSameAddress(sender, from) ? sender : undefined,
    replyTo: differs ? replyTo : undefined,
    to: nonEmpty(envelope.to.map(toAddress)),
    cc: nonEmpty(envelope.cc.map(toAddress)),
    bcc: nonEmpty(envelope.bcc.map(toAddress)),
  }
}

function firstAddress([address]: readonly EnvelopeAddress[]): EnvelopeAddress | undefined {
  return address && toAddress(address)
}

function toAddress({ name = '', address = '' }: EnvelopeAddress): EnvelopeAddress {
  return { name, address }
}

function isFrom(replyTo: readonly EnvelopeAddress[], from: readonly EnvelopeAddress[]): boolean {
  if (replyTo.length === 0) return true
  return replyTo.length === from.length && replyTo.every((a, at) => isSameAddress(a, from[at]))
}

/** True if two mail addresses are equal. Ignores case and display name. */
function isSameAddress(a: EnvelopeAddress, b: EnvelopeAddress | undefined): boolean {
  return a.address?.toLowerCase() === b?.address?.toLowerCase()
}

/** Date of a message: the Date header if valid, else the time of receipt, else the epoch. */
function dateOf(header: Date | undefined, receivedAt: Date): string {
  return [header, receivedAt].find(isPlausible)?.toISOString() ?? new Date(0).toISOString()
}

function isPlausible(date: Date | undefined): boolean {
  return date !== undefined && date.getTime() >= 0 && date.getUTCFullYear() <= 9_999
}

function nonEmpty<T>(list: T[]): T[] | undefined {
  return list.length > 0 ? list : undefined
}
