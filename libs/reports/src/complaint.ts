import { parseHeaders } from '@posthorn/mime'
import { type ReportParts, first } from './parse-parts.ts'
import type { Complaint, OriginalMessage } from './report.ts'

const addressIn = /[^\s<>"',;:()]{1,250}@[^\s<>"',;()]{1,250}/

/** Reads a complaint: RFC 5965, or the form of those who send the message back and say little. */
export function parseComplaint(
  message: ReportParts,
  original: OriginalMessage & { all: Record<string, string[]> },
): Complaint | undefined {
  const arf = feedback(message) ?? returnedBy(message, original)
  if (!arf) return undefined
  const { messageId, headers } = original
  return {
    kind: 'complaint',
    arf,
    ...(messageId === undefined ? {} : { messageId }),
    ...(headers ? { headers } : {}),
  }
}

function feedback({ parts, reportType, headers }: ReportParts): Complaint['arf'] | undefined {
  const isReport = reportType === 'feedback-report'
  const part =
    parts.find(({ type }) => type === 'message/feedback-report') ??
    (isReport ? parts.find(({ text }) => /^feedback-type:/im.test(text)) : undefined)
  if (!part) return undefined
  // Fields may stand in groups, which means nothing here.
  const fields = parseHeaders(Buffer.from(part.text.replace(/\n[ \t]*\n/g, '\n').trimStart()))
  const one = (name: string) => first(fields, name) || undefined
  const recipients = fields['original-rcpt-to'] ?? fields['removal-recipient'] ?? []
  return present({
    source: sourceOf(headers),
    feedbackType: (one('feedback-type') ?? 'abuse').toLowerCase(),
    abuseType: one('abuse-type'),
    userAgent: one('user-agent'),
    version: one('version'),
    originalMailFrom: bare(first(fields, 'original-mail-from')) || undefined,
    originalRcptTo: [...new Set(recipients.map(bare).filter((value) => value !== ''))],
    arrivalDate: dateOf(one('arrival-date') ?? one('received-date')),
    sourceIp: one('source-ip'),
    reportingMta: one('reporting-mta')?.replace(/^dns;\s*/i, ''),
    reportedDomain: fields['reported-domain'],
    authFailure: one('auth-failure'),
  })
}

const saysSo =
  /^\s*(?:complaint about message|abuse report|spam report|email (?:abuse )?feedback report)/i

/** Hotmail and its kin return the message and name who complained in a header of it. */
function returnedBy(
  { headers, parts }: ReportParts,
  { all }: { all: Record<string, string[]> },
): Complaint['arf'] | undefined {
  const recipient = bare(first(all, 'x-hmxmroriginalrecipient'))
  const subject = first(headers, 'subject')
  const isReturned = parts.some(({ type }) => type === 'message/rfc822')
  if (!isReturned || (recipient === '' && !saysSo.test(subject))) return undefined
  const senders = ['return-path', 'x-sid-pra', 'from'].map((name) => bare(first(all, name)))
  const recipients = [recipient, ...['x-original-to', 'to'].map((name) => bare(first(all, name)))]
  return present({
    source: sourceOf(headers),
    feedbackType: 'abuse',
    originalMailFrom: senders.find((address) => address !== ''),
    originalRcptTo: recipients.filter((address) => address !== '').slice(0, 1),
    arrivalDate: dateOf(first(headers, 'date')),
    sourceIp: /\b(?:\d{1,3}\.){3}\d{1,3}\b/.exec(subject)?.[0],
  })
}

/** Whose system complains: the domain of its sender. */
function sourceOf(headers: Record<string, string[]>): string | undefined {
  const domain = /@([\w.-]{1,250})/.exec(first(headers, 'from'))?.[1]?.toLowerCase()
  return domain && /(?:hotmail|outlook|live|msn)\./.test(`${domain}.`) ? 'hotmail' : domain
}

function bare(value: string): string {
  return addressIn.exec(value)?.[0] ?? ''
}

function dateOf(value = ''): string | undefined {
  const date = new Date(value)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

function present<T extends object>(fields: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T
}
