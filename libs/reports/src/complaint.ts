import { defined } from '@posthorn/contracts/defined'
import { parseHeaders } from '@posthorn/mime'
import { addressesInHeader, firstAddress } from './addresses.ts'
import { first, type Headers, type ReportParts } from './parse-parts.ts'
import type { Complaint, OriginalMessage } from './report.ts'

/**
 * Reads an abuse complaint: RFC 5965, or a returned message in the form of Hotmail and other
 * services.
 */
export function parseComplaint(
  message: ReportParts,
  original: OriginalMessage & { all: Headers },
): Complaint | undefined {
  const arf = parseFeedback(message, original) ?? parseReturned(message, original)
  if (!arf) return undefined
  const { messageId, headers } = original
  return defined({ kind: 'complaint' as const, arf, messageId, headers })
}

function parseFeedback(
  { parts, reportType, headers }: ReportParts,
  { all }: { all: Headers },
): Complaint['arf'] | undefined {
  const isReport = reportType === 'feedback-report'
  const part =
    parts.find(({ type }) => type === 'message/feedback-report') ??
    (isReport ? parts.find(({ text }) => /^feedback-type:/im.test(text)) : undefined)
  if (!part) return undefined
  // Removes empty lines from a feedback report, so that all its lines are parsed as one group of
  // fields.
  const fields = parseHeaders(Buffer.from(part.text.replace(/\n[ \t]*\n/g, '\n').trimStart()))
  const one = (name: string) => first(fields, name) || undefined
  const reported = fields['original-rcpt-to'] ?? fields['removal-recipient'] ?? []
  const recipients = reported.map(bareAddress).filter((value) => value !== '')
  return defined({
    source: sourceOf(headers),
    feedbackType: (one('feedback-type') ?? 'abuse').toLowerCase(),
    abuseType: one('abuse-type'),
    userAgent: one('user-agent'),
    version: one('version'),
    originalMailFrom: bareAddress(first(fields, 'original-mail-from')) || undefined,
    // The field Original-Rcpt-To of an abuse complaint is optional (RFC 5965 §3.2). Without the
    // field, the recipient is searched in the headers of the original message.
    originalRcptTo: recipients.length > 0 ? [...new Set(recipients)] : recipientInHeaders(all),
    arrivalDate: toIsoDate(one('arrival-date') ?? one('received-date')),
    sourceIp: one('source-ip'),
    reportingMta: one('reporting-mta')?.replace(/^dns;\s*/i, ''),
    reportedDomain: fields['reported-domain'],
    authFailure: one('auth-failure'),
  })
}

const complaintSubject =
  /^\s*(?:complaint about message|abuse report|spam report|email (?:abuse )?feedback report)/i

/**
 * Abuse complaint in the form of Hotmail and other services: the returned message, with the
 * complaining recipient in one of its headers.
 */
function parseReturned(
  { headers, parts }: ReportParts,
  { all }: { all: Headers },
): Complaint['arf'] | undefined {
  const recipient = bareAddress(first(all, 'x-hmxmroriginalrecipient'))
  const subject = first(headers, 'subject')
  const isReturned = parts.some(({ type }) => type === 'message/rfc822')
  if (!isReturned || (recipient === '' && !complaintSubject.test(subject))) return undefined
  const addresses = (names: string[]) => names.map((name) => bareAddress(first(all, name)))
  const senders = addresses(['return-path', 'x-sid-pra', 'from'])
  return defined({
    source: sourceOf(headers),
    feedbackType: 'abuse',
    originalMailFrom: senders.find((address) => address !== ''),
    originalRcptTo: recipient === '' ? recipientInHeaders(all) : [recipient],
    arrivalDate: toIsoDate(first(headers, 'date')),
    sourceIp: /\b(?:\d{1,3}\.){3}\d{1,3}\b/.exec(subject)?.[0],
  })
}

/**
 * Headers of a message in which receiving mail servers record the recipient, most reliable first.
 */
const deliveryHeaders = [
  'x-hmxmroriginalrecipient',
  'x-original-to',
  'delivered-to',
  'envelope-to',
  'x-envelope-to',
  'x-rcpt-to',
]

/**
 * Complaining recipient that the headers of the original message name. Empty if they name no
 * recipient, or several recipients, of whom any may have complained.
 */
function recipientInHeaders(all: Headers): string[] {
  const recorded = deliveryHeaders
    .map((name) => bareAddress(first(all, name)))
    .find((address) => address !== '')
  if (recorded) return [recorded]
  const values = [...(all['to'] ?? []), ...(all['cc'] ?? [])].slice(0, 2)
  const addressees = values.flatMap((value) => addressesInHeader(value, 2))
  return addressees.length === 1 ? addressees : []
}

/** Mail provider that reports the abuse complaint: the domain of the report's sender. */
function sourceOf(headers: Headers): string | undefined {
  const domain = /@([\w.-]{1,250})/.exec(first(headers, 'from'))?.[1]?.toLowerCase()
  return domain && /(?:hotmail|outlook|live|msn)\./.test(`${domain}.`) ? 'hotmail' : domain
}

function bareAddress(value: string): string {
  return firstAddress(value) ?? ''
}

function toIsoDate(value = ''): string | undefined {
  const date = new Date(value.slice(0, 100))
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}
