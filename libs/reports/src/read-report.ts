import { defined } from '@posthorn/contracts'
import { htmlToText, isAutoReply } from '@posthorn/mime'
import { classify, findBlocklist, parseRetryAfter } from './classify.ts'
import { parseComplaint } from './complaint.ts'
import { type DeliveryStatus, parseDeliveryStatus, type StatusFields } from './delivery-status.ts'
import { findOriginal, type ReportText, splitText } from './original.ts'
import { foreignMachineNames, foreignNotDelivered, foreignSubjects } from './other-languages.ts'
import { addressPattern, first, type Headers, parseParts, type ReportParts } from './parse-parts.ts'
import {
  type DeliveryAction,
  type DeliveryReport,
  type RecipientResult,
  recommendedActions,
  type Report,
  type ReportedResponse,
} from './report.ts'
import { detectAction, findRecipients, maxContext, mostSpecificLine } from './text-report.ts'

const statusTypes = ['message/delivery-status', 'message/global-delivery-status']

/**
 * Reads a report about the delivery of another message, or a complaint about it. Undefined for
 * other mail. Supports RFC 3464, RFC 5965 and reports in plain text. Never throws; reads the first
 * MiB.
 */
export function readReport(message: Buffer): Report | undefined {
  const parts = parseParts(message)
  const text = splitText(reportText(parts))
  const { all: originalHeaders, ...original } = findOriginal(parts, text)
  const complaint = parseComplaint(parts, { ...original, all: originalHeaders })
  if (complaint) return complaint
  const status = findDeliveryStatus(parts, text)
  if (!status && !mayBounce(parts, text)) return undefined
  const recipients = status
    ? resultsOfStatus(status, text, parts.headers)
    : resultsOfText(parts.headers, text, originalHeaders)
  if (recipients.length === 0) return undefined
  return { kind: 'delivery', recipients, fields: reportFields(status), ...original }
}

/**
 * True if the headers, as parsed by `parseHeaders`, look like those of a report. Callers fetch only
 * such messages as a whole. Skips text reports that come from a person.
 */
export function mayBeReport(headers: Headers): boolean {
  const type = first(headers, 'content-type').toLowerCase()
  if (/report-type\s*=\s*"?(?:delivery-status|feedback-report)/.test(type)) return true
  if (headers['x-failed-recipients']) return true
  const subject = first(headers, 'subject')
  return (
    hasEmptyReturnPath(headers) ||
    isFromMachine(headers) ||
    conclusiveSubject.test(subject) ||
    foreignSubjects.test(subject) ||
    /complaint|abuse|feedback/i.test(subject)
  )
}

/** Text of the report: its text parts up to the returned message. */
function reportText({ parts }: ReportParts): string {
  const returned = parts.findIndex(
    ({ type }) => type.startsWith('message/') || type === 'text/rfc822-headers',
  )
  const own = returned < 0 ? parts : parts.slice(0, Math.max(returned, 1))
  const plain = own.filter(({ type }) => type === 'text/plain' || type === 'text' || type === '')
  const texts = plain.some(({ text }) => text.trim() !== '')
    ? plain
    : own.filter(({ type }) => type === 'text/html')
  return texts
    .map(({ type, text }) => (type === 'text/html' ? htmlToText(text) : text))
    .join('\n\n')
}

function findDeliveryStatus(
  { parts, reportType }: ReportParts,
  { own }: ReportText,
): DeliveryStatus | undefined {
  const isReport = reportType === 'delivery-status'
  const texts = parts.filter(
    ({ type, text }) =>
      statusTypes.includes(type) ||
      (isReport && type.startsWith('text/') && /^final-recipient:/im.test(text)),
  )
  for (const source of [...texts.map(({ text }) => text), own]) {
    if (!/^(?:final|original)-recipient:/im.test(source)) continue
    const status = parseDeliveryStatus(source)
    if (status.recipients.some(({ recipient }) => recipient !== '')) return status
  }
  return undefined
}

const machineSenders =
  /mailer-?daemon|postmaster|mail ?(?:delivery|deliver|administrator|system|subsystem|daemon)|system administrator|delivery subsystem|bounce|<>|^$|smtp_?mail_?service/i
/** Subjects that only mail servers write. */
const conclusiveSubject =
  /^\W*(?:undeliver|non-?deliver|deliver\w* (?:status notif|failure|has failed)|failure notice|returned (?:mail|to sender)|mail delivery (?:fail|problem|system)|mail system error)/i
const notDelivered =
  /(?:could|can) ?n[o']t be (?:delivered|reached)|unable to deliver|not delivered|delivery (?:has )?failed|undeliverable|failed to deliver/i
const likelySubject =
  /non-?deliver|undeliver|deliver\w* (?:report|status|fail|problem|error|notif|has failed|delayed)|fail(?:ed|ure) (?:delivery|notice|report)|failure notice|mail delivery|returned (?:mail|e-?mail|message|to sender)|returning message|not (?:be )?(?:delivered|deliverable)|message (?:status|delayed|undeliverable)|mail system error|could ?n[o']t (?:be )?deliver|bounce|delivery|nondeliverable|non remis|unzustellbar|no se puede entregar|permanent error|rejected|error sending|配信|エラー|送信/i

function isFromMachine(headers: Headers): boolean {
  const from = first(headers, 'from')
  return machineSenders.test(from) || foreignMachineNames.test(from)
}

function hasEmptyReturnPath(headers: Headers): boolean {
  return first(headers, 'return-path') === '<>'
}

/**
 * True if subject and text together identify a report. In other languages the text must also show
 * the message or a server's code, because the words apply to parcels as well.
 */
function describesBounce(subject: string, { own, returned }: ReportText): boolean {
  if (conclusiveSubject.test(subject) && notDelivered.test(own)) return true
  const isAboutMail = returned !== '' || /\b[45]\d\d[ -]\S|\b[45]\.\d\.\d/.test(own)
  return isAboutMail && foreignSubjects.test(subject) && foreignNotDelivered.test(own)
}

/** True if a message without a delivery status may be a report in plain text. */
function mayBounce({ headers, reportType }: ReportParts, text: ReportText): boolean {
  if (reportType === 'delivery-status' || headers['x-failed-recipients']) return true
  const subject = first(headers, 'subject')
  const isNotice = likelySubject.test(subject) || foreignSubjects.test(subject)
  // RFC 3834: vacation notices come from machines, too, but have other subjects.
  if (isAutoReply(headers) && !isNotice) return false
  if (isFromMachine(headers)) return true
  return (hasEmptyReturnPath(headers) && isNotice) || describesBounce(subject, text)
}

function resultsOfStatus(
  { recipients }: DeliveryStatus,
  { own }: ReportText,
  headers: Headers,
): RecipientResult[] {
  const failed = addressesIn(headers['x-failed-recipients']?.join(','))
  return recipients
    .filter(({ recipient }) => recipient !== '')
    .map((fields, at) => {
      const { mta } = fields
      // Some servers report the path of a local file instead of the address.
      const isAddress = fields.recipient.includes('@') || failed.length !== recipients.length
      const recipient = isAddress ? fields.recipient : (failed[at] ?? fields.recipient)
      const response = responseOf(fields, own)
      const action = fields.action ?? actionOfStatus(response.status)
      return defined({ recipient, action, response, mta })
    })
}

function actionOfStatus(status = ''): DeliveryAction {
  if (status.startsWith('2')) return 'delivered'
  return status.startsWith('4') ? 'delayed' : 'failed'
}

function responseOf(
  { diagnostic, diagnosticType, status, recipient, fields }: StatusFields,
  text: string,
): ReportedResponse {
  const details = fields['x-display-reason']?.[0] ?? fields['x-supplementary-info']?.[0] ?? ''
  const message = diagnostic || details || mostSpecificLine(contextOf(text, recipient), recipient)
  // The status in the server's message is more specific than a general one.
  const specific = statusIn(message)
  const isGeneral = status === undefined || (status.endsWith('.0.0') && specific !== undefined)
  return describeResponse({
    source: diagnosticType,
    message,
    status: isGeneral ? (specific ?? status) : status,
    context: diagnostic ? details : '',
  })
}

/** Text from an address on; the beginning of the text if it does not contain the address. */
function contextOf(text: string, recipient: string): string {
  const at = Math.max(0, text.toLowerCase().indexOf(recipient.toLowerCase()))
  return text.slice(at, at + maxContext)
}

function resultsOfText(headers: Headers, text: ReportText, original: Headers): RecipientResult[] {
  const subject = headers['subject']?.[0] ?? ''
  const action = detectAction(subject, text.own)
  const to = addressesIn(headers['to']?.[0])
  const excluded = new Set([
    ...to,
    ...addressesIn(headers['from']?.[0]),
    ...addressesIn(original['from']?.[0]),
    ...addressesIn(original['sender']?.[0]),
  ])
  const failed = addressesIn(headers['x-failed-recipients']?.join(','))
  const inText = findRecipients(text.own, excluded)
  const named =
    failed.length > 0
      ? failed.map((recipient) => ({
          recipient,
          context:
            inText.find((one) => one.recipient.toLowerCase() === recipient)?.context ??
            text.own.slice(0, maxContext),
        }))
      : inText
  const recipients = named.length > 0 ? named : inferRecipients(text, original, to)
  return recipients.map(({ recipient, context }) => {
    const message = mostSpecificLine(context, recipient)
    const mta = /(?:host|server|remote host|by|from)\s+([\w-]{1,60}(?:\.[\w-]{1,60}){1,8})/i.exec(
      context,
    )?.[1]
    const status = statusIn(message) ?? statusIn(context)
    const response = describeResponse({ source: 'smtp', message, status, context })
    return defined({ recipient, action, response, mta })
  })
}

/** Recipient of a report that names none: the original's only one, or the account's own address. */
function inferRecipients(
  { own }: ReportText,
  original: Headers,
  to: string[],
): { recipient: string; context: string }[] {
  const [only, second] = addressesIn(original['to']?.[0])
  const context = own.slice(0, maxContext)
  if (only !== undefined && second === undefined) return [{ recipient: only, context }]
  const self = to.find((address) => own.toLowerCase().includes(`<${address}>`))
  return self === undefined ? [] : [{ recipient: self, context }]
}

interface ResponseInput {
  source: string
  message: string
  status: string | undefined
  /** Further text that may contain the reason. */
  context: string
}

function describeResponse({ source, message, status, context }: ResponseInput): ReportedResponse {
  const byMessage = classify(message, status)
  const category = byMessage === 'unknown' && context !== '' ? classify(context, status) : byMessage
  return defined({
    source,
    message: message.slice(0, 2_048),
    status,
    category,
    recommendedAction: recommendedActions[category],
    blocklist: findBlocklist(message, category),
    retryAfter: parseRetryAfter(message),
  })
}

/** Enhanced status code (RFC 3463) in a server's message. */
function statusIn(message: string): string | undefined {
  return /(?:^|[\s#(:[-])([245]\.\d{1,3}\.\d{1,3})(?![\d.])/.exec(message)?.[1]
}

function addressesIn(value = ''): string[] {
  const addresses = value.slice(0, 65_536).match(new RegExp(addressPattern, 'g')) ?? []
  return addresses.map((address) => address.toLowerCase())
}

/**
 * Fields for `deliveryReport` in camel case: those of the report and of one recipient, preferably
 * one whose delivery has not failed.
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
