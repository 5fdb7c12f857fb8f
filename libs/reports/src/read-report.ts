import { htmlToText, isAutoReply } from '@posthorn/mime'
import { recommendAction, findBlocklist, classify, parseRetryAfter } from './classify.ts'
import { parseComplaint } from './complaint.ts'
import { type DeliveryStatus, parseDeliveryStatus, type StatusFields } from './delivery-status.ts'
import { machineNames, notDelivered, plainSubjects } from './other-languages.ts'
import { findOriginal, type ReportText, splitText } from './original.ts'
import { type ReportParts, parseParts, first, type Headers } from './parse-parts.ts'
import type {
  DeliveryAction,
  DeliveryReport,
  RecipientResult,
  Report,
  ReportedResponse,
} from './report.ts'
import { detectAction, findRecipients, mostSpecificLine } from './text-report.ts'

const statusTypes = ['message/delivery-status', 'message/global-delivery-status']

/**
 * What a message reports of another one: its fate (a bounce, a delay, good news), or a complaint. Undefined for all other mail.
 *
 * Reads RFC 3464, RFC 5965 and what servers write in words. Never throws; looks at no more than the first megabyte.
 */
export function readReport(message: Buffer): Report | undefined {
  const dissected = parseParts(message)
  const text = splitText(wordsIn(dissected))
  const original = findOriginal(dissected, text)
  const complaint = parseComplaint(dissected, original)
  if (complaint) return complaint
  const status = deliveryStatus(dissected, text)
  if (!status && !mayBounce(dissected, text)) return undefined
  const results = status
    ? fromStatus(status, { text, headers: dissected.headers })
    : fromText(dissected, { text, original: original.all })
  if (results.length === 0) return undefined
  const { all: _all, ...known } = original
  return { kind: 'delivery', recipients: results, fields: fieldsOf(status), ...known }
}

/**
 * Whether a message is worth reading for a report, by its headers as `parseHeaders` gives them: few messages are, and reading means fetching
 * them whole. Bounces in words that come from people are passed over.
 */
export function mayBeReport(headers: Headers): boolean {
  const type = first(headers, 'content-type').toLowerCase()
  if (/report-type\s*=\s*"?(?:delivery-status|feedback-report)/.test(type)) return true
  if (headers['x-failed-recipients']) return true
  const subject = first(headers, 'subject')
  const isFromNobody = first(headers, 'return-path') === '<>'
  return (
    isFromNobody ||
    isFromMachine(headers) ||
    plain.test(subject) ||
    plainSubjects.test(subject) ||
    /complaint|abuse|feedback/i.test(subject)
  )
}

/** The words of the report: its texts up to the message that is returned. */
function wordsIn({ parts }: ReportParts): string {
  const returned = parts.findIndex(
    ({ type }) => type.startsWith('message/') || type === 'text/rfc822-headers',
  )
  const own = returned < 0 ? parts : parts.slice(0, Math.max(returned, 1))
  const plain = own.filter(({ type }) => type === 'text/plain' || type === 'text' || type === '')
  const shown = plain.some(({ text }) => text.trim() !== '')
    ? plain
    : own.filter(({ type }) => type === 'text/html')
  return shown
    .map(({ type, text }) => (type === 'text/html' ? htmlToText(text) : text))
    .join('\n\n')
}

function deliveryStatus(
  { parts, reportType }: ReportParts,
  { own: said }: ReportText,
): DeliveryStatus | undefined {
  const isReport = reportType === 'delivery-status'
  const texts = parts.filter(
    ({ type, text }) =>
      statusTypes.includes(type) ||
      (isReport && type.startsWith('text/') && /^final-recipient:/im.test(text)),
  )
  for (const source of [...texts.map(({ text }) => text), said]) {
    if (!/^(?:final|original)-recipient:/im.test(source)) continue
    const status = parseDeliveryStatus(source)
    if (status.recipients.some(({ recipient }) => recipient !== '')) return status
  }
  return undefined
}

const senders =
  /mailer-?daemon|postmaster|mail ?(?:delivery|deliver|administrator|system|subsystem|daemon)|system administrator|delivery subsystem|bounce|<>|^$|smtp_?mail_?service/i
/** What only a server would write as a subject. */
const plain =
  /^\W*(?:undeliver|non-?deliver|deliver\w* (?:status notif|failure|has failed)|failure notice|returned (?:mail|to sender)|mail delivery (?:fail|problem|system)|mail system error)/i
const words =
  /(?:could|can) ?n[o']t be (?:delivered|reached)|unable to deliver|not delivered|delivery (?:has )?failed|undeliverable|failed to deliver/i
const subjects =
  /non-?deliver|undeliver|deliver\w* (?:report|status|fail|problem|error|notif|has failed|delayed)|fail(?:ed|ure) (?:delivery|notice|report)|failure notice|mail delivery|returned (?:mail|e-?mail|message|to sender)|returning message|not (?:be )?(?:delivered|deliverable)|message (?:status|delayed|undeliverable)|mail system error|could ?n[o']t (?:be )?deliver|bounce|delivery|nondeliverable|non remis|unzustellbar|no se puede entregar|permanent error|rejected|error sending|配信|エラー|送信/i

function isFromMachine(headers: Headers): boolean {
  const from = first(headers, 'from')
  return senders.test(from) || machineNames.test(from)
}

/** Subject and words together. In other languages parcels are not delivered either: there the report has to be one of mail by what it shows. */
function saysSo(subject: string, { own: said, returned: shown }: ReportText): boolean {
  if (plain.test(subject) && words.test(said)) return true
  const isOfMail = shown !== '' || /\b[45]\d\d[ -]\S|\b[45]\.\d\.\d/.test(said)
  return isOfMail && plainSubjects.test(subject) && notDelivered.test(said)
}

/** Whether the look of a message lets a bounce in words be in it. */
function mayBounce(
  { headers, reportType }: ReportParts,
  { own: said, returned: shown }: ReportText,
): boolean {
  if (reportType === 'delivery-status' || headers['x-failed-recipients']) return true
  const subject = first(headers, 'subject')
  const isNotice = subjects.test(subject) || plainSubjects.test(subject)
  // RFC 3834: a vacation note comes from a machine, too; its subject tells them apart.
  if (isAutoReply(headers) && !isNotice) return false
  if (isFromMachine(headers)) return true
  const isFromNobody = first(headers, 'return-path') === '<>'
  return (isFromNobody && isNotice) || saysSo(subject, { own: said, returned: shown })
}

function fromStatus(
  { recipients }: DeliveryStatus,
  { text: { own: said }, headers }: { text: ReportText; headers: Headers },
): RecipientResult[] {
  const named = addressesIn(headers['x-failed-recipients']?.join(','))
  return recipients
    .filter(({ recipient }) => recipient !== '')
    .map((told, at) => {
      const { mta } = told
      // Some tell the file into which they could not write.
      const isAddress = told.recipient.includes('@') || named.length !== recipients.length
      const recipient = isAddress ? told.recipient : (named[at] ?? told.recipient)
      const response = responseOf(told, said)
      const action = told.action ?? actionBy(response.status)
      return { recipient, action, response, ...(mta === undefined ? {} : { mta }) }
    })
}

function actionBy(status = ''): DeliveryAction {
  if (status.startsWith('2')) return 'delivered'
  return status.startsWith('4') ? 'delayed' : 'failed'
}

function responseOf(
  { diagnostic, diagnosticType, status, recipient, fields }: StatusFields,
  said: string,
): ReportedResponse {
  const own = fields['x-display-reason']?.[0] ?? fields['x-supplementary-info']?.[0] ?? ''
  const message = diagnostic || own || mostSpecificLine(about(said, recipient), recipient)
  // A general status says less than what the server said.
  const spoken = statusIn(message)
  const known =
    status === undefined || (status.endsWith('.0.0') && spoken !== undefined)
      ? (spoken ?? status)
      : status
  return describe({ source: diagnosticType, message, status: known, more: diagnostic ? own : '' })
}

/** What a text says around an address; all of it where it does not name it. */
function about(said: string, recipient: string): string {
  const at = said.toLowerCase().indexOf(recipient.toLowerCase())
  return at < 0 ? said.slice(0, 1_500) : said.slice(at, at + 1_500)
}

function fromText(
  { headers }: ReportParts,
  { text, original }: { text: ReportText; original: Headers },
): RecipientResult[] {
  const subject = headers['subject']?.[0] ?? ''
  const action = detectAction(subject, text.own)
  const to = addressesIn(headers['to']?.[0])
  const others = new Set([
    ...to,
    ...addressesIn(headers['from']?.[0]),
    ...addressesIn(original['from']?.[0]),
    ...addressesIn(original['sender']?.[0]),
  ])
  const named = addressesIn(headers['x-failed-recipients']?.join(','))
  const found = findRecipients(text.own, { others })
  const wanted =
    named.length > 0
      ? named.map((recipient) => ({
          recipient,
          words:
            found.find((told) => told.recipient.toLowerCase() === recipient)?.words ??
            text.own.slice(0, 1_500),
        }))
      : found
  const told = wanted.length > 0 ? wanted : guessed(text, { original, own: to })
  return told.map(({ recipient, words }) => {
    const message = mostSpecificLine(words, recipient)
    const mta = /(?:host|server|remote host|by|from)\s+([\w-]{1,60}(?:\.[\w-]{1,60}){1,8})/i.exec(
      words,
    )?.[1]
    const response = describe({
      source: 'smtp',
      message,
      status: statusIn(message) ?? statusIn(words),
      more: words,
    })
    return { recipient, action, response, ...(mta === undefined ? {} : { mta }) }
  })
}

/** Nobody is named but the one the message went to, or oneself: it came back from where it was sent from. */
function guessed(
  { own: said }: ReportText,
  { original, own }: { original: Headers; own: string[] },
): { recipient: string; words: string }[] {
  const [only, second] = addressesIn(original['to']?.[0])
  const words = said.slice(0, 1_500)
  if (only !== undefined && second === undefined) return [{ recipient: only, words }]
  const self = own.find((address) => said.toLowerCase().includes(`<${address}>`))
  return self === undefined ? [] : [{ recipient: self, words }]
}

interface Said {
  source: string
  message: string
  status: string | undefined
  /** Further words that may tell the reason. */
  more: string
}

function describe({ source, message, status, more }: Said): ReportedResponse {
  const told = classify(message, status)
  const category = told === 'unknown' && more !== '' ? classify(more, status) : told
  const blocklist = findBlocklist(message, category)
  const retryAfter = parseRetryAfter(message)
  return {
    source,
    message: message.slice(0, 2_048),
    ...(status === undefined ? {} : { status }),
    category,
    recommendedAction: recommendAction(category),
    ...(blocklist ? { blocklist } : {}),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  }
}

/** RFC 3463 in the words of a server, else what follows from its SMTP code. */
function statusIn(message: string): string | undefined {
  const told = /(?:^|[\s#(:[-])([245]\.\d{1,3}\.\d{1,3})(?![\d.])/.exec(message)?.[1]
  return told
}

function addressesIn(value = ''): string[] {
  return [...value.slice(0, 65_536).matchAll(/[^\s<>"',;:()]{1,250}@[^\s<>"',;()]{1,250}/g)].map(
    ([address]) => address.toLowerCase(),
  )
}

/** For `deliveryReport`: the fields of the report, then of the first recipient with good news, else of the first, in camel case. */
function fieldsOf(status: DeliveryStatus | undefined): DeliveryReport['fields'] {
  const { message, recipients = [] } = status ?? {}
  const good = recipients.find(({ action = 'failed' }) => action !== 'failed')
  const all = { ...message, ...(good ?? recipients[0])?.fields }
  return Object.fromEntries(
    Object.entries(all).map(([name, [value = '']]) => [
      name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value.replace(/^(?:rfc822|dns|smtp);\s*/i, ''),
    ]),
  )
}
