import { htmlToText } from '@posthorn/mime'
import { parseComplaint } from './complaint.ts'
import { type DeliveryStatus, parseDeliveryStatus } from './delivery-status.ts'
import { mayBounce } from './detect-report.ts'
import { findOriginal, splitText } from './original.ts'
import { parseParts, type ReportParts } from './parse-parts.ts'
import { resultsOfStatus, resultsOfText } from './recipient-results.ts'
import type { DeliveryReport, Report } from './report.ts'

const statusTypes = ['message/delivery-status', 'message/global-delivery-status']

/**
 * Maximum characters of the plain text and of the HTML of a delivery report or complaint that are
 * read. Reports begin with their own text.
 */
const maxText = 256 * 1024
const maxHtml = 128 * 1024

/**
 * Reads a message that is a report about the delivery of another message, or a complaint about that
 * message. Undefined for other mail. Supports RFC 3464, RFC 5965 and reports in plain text. Never
 * throws; reads the first MiB in linear time.
 */
export function readReport(message: Buffer): Report | undefined {
  const parts = parseParts(message)
  const text = splitText(reportText(parts))
  const { all: originalHeaders, ...original } = findOriginal(parts, text)
  const complaint = parseComplaint(parts, { ...original, all: originalHeaders })
  if (complaint) return complaint
  const isBounce = mayBounce(parts, text)
  // Status fields in the text of a message are read only if the message may be a bounce, because
  // people quote the fields of a report in their messages.
  const status = findDeliveryStatus(parts) ?? (isBounce ? readStatus(text.own) : undefined)
  if (!status && !isBounce) return undefined
  const recipients = status
    ? resultsOfStatus(status, text, parts.headers)
    : resultsOfText(parts.headers, text, originalHeaders)
  if (recipients.length === 0) return undefined
  return { kind: 'delivery', recipients, fields: reportFields(status), ...original }
}

/** Text of a delivery report or complaint: its text parts up to the returned message. */
function reportText({ parts }: ReportParts): string {
  const returned = parts.findIndex(
    ({ type }) => type.startsWith('message/') || type === 'text/rfc822-headers',
  )
  const own = returned < 0 ? parts : parts.slice(0, Math.max(returned, 1))
  const join = (types: string[], separator: string) =>
    own
      .filter(({ type }) => types.includes(type))
      .map(({ text }) => text)
      .join(separator)
  const plain = join(['text/plain', 'text', ''], '\n\n').slice(0, maxText)
  if (plain.trim() !== '') return plain
  return htmlToText(join(['text/html'], '<br><br>').slice(0, maxHtml))
}

function findDeliveryStatus({ parts, reportType }: ReportParts): DeliveryStatus | undefined {
  const isReport = reportType === 'delivery-status'
  const texts = parts.filter(
    ({ type, text }) =>
      statusTypes.includes(type) ||
      (isReport && type.startsWith('text/') && /^final-recipient:/im.test(text)),
  )
  for (const { text } of texts) {
    const status = readStatus(text)
    if (status) return status
  }
  return undefined
}

/** Delivery status in the text of a bounce, if the text names a recipient. */
function readStatus(text: string): DeliveryStatus | undefined {
  if (!/^(?:final|original)-recipient:/im.test(text)) return undefined
  const status = parseDeliveryStatus(text)
  return status.recipients.some(({ recipient }) => recipient !== '') ? status : undefined
}

/**
 * Fields for `deliveryReport` in camel case: fields of a delivery report and of one recipient,
 * preferably a recipient whose delivery has not failed.
 */
function reportFields(status: DeliveryStatus | undefined): DeliveryReport['fields'] {
  const { message, recipients = [] } = status ?? {}
  const successful = recipients.find(({ action = 'failed' }) => action !== 'failed')
  const all = { ...message, ...(successful ?? recipients[0])?.fields }
  return Object.fromEntries(
    Object.entries(all).map(([name, [value = '']]) => [
      name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value.replace(/^(?:rfc822|dns|smtp);\s*/i, ''),
    ]),
  )
}
