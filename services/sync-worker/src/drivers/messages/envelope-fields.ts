import type { EnvelopeAddress, FetchedMessage } from '@posthorn/backends'
import { defined } from '@posthorn/contracts/defined'

type Envelope = FetchedMessage['envelope']

/** Subject limit in characters. RFC 5322 sets no limit. */
const maxSubject = 10_240

/** Members of a message entry that come from the header of the message. Pure. */
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
 * First Reply-To address that differs from `from`. For events, which have only one Reply-To
 * address.
 */
export function selectReplyTo(
  replyTo: readonly EnvelopeAddress[] = [],
  from?: EnvelopeAddress,
): { replyTo?: EnvelopeAddress } {
  const other = replyTo.find((address) => !isSameAddress(address, from))
  return other ? { replyTo: other } : {}
}

/**
 * Address members of a message entry. RFC 9051 §7.5.2: servers fill `sender` and `replyTo` from
 * `from`. Equal values are left out.
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

/** True for equal mail addresses, ignoring case and display name. */
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
