import { defined } from '@posthorn/contracts/defined'
import { addressesInHeader, addressesInProse } from './addresses.ts'
import { findBlocklist, parseRetryAfter, ReasonClassifier } from './classify.ts'
import type { DeliveryStatus, StatusFields } from './delivery-status.ts'
import { findRecipients, maxContext, type ReportedRecipient } from './find-recipients.ts'
import type { ReportText } from './original.ts'
import type { Headers } from './parse-parts.ts'
import {
  type DeliveryAction,
  type RecipientResult,
  recommendedActions,
  type ReportedResponse,
} from './report.ts'
import { detectAction, mostSpecificLine } from './text-report.ts'

/** Maximum email addresses of a header that are read to find the recipient of a delivery report. */
const maxHeaderAddresses = 100
/** Maximum email addresses whose positions in the text of a delivery report are looked up. */
const maxMentions = 2_000

/**
 * Delivery results per recipient of a delivery status. Reasons that the delivery status lacks are
 * taken from the text of the report.
 */
export function resultsOfStatus(
  { recipients }: DeliveryStatus,
  { own }: ReportText,
  headers: Headers,
): RecipientResult[] {
  const failed = lowerCase(headers['x-failed-recipients']?.join(','))
  const classifier = new ReasonClassifier()
  const contextOf = contextsIn(own)
  return recipients
    .filter(({ recipient }) => recipient !== '')
    .map((fields, at) => {
      const { mta } = fields
      // Takes the recipient from the header X-Failed-Recipients if the delivery status has no
      // address. Some mail servers report the path of a local file.
      const isAddress = fields.recipient.includes('@') || failed.length !== recipients.length
      const recipient = isAddress ? fields.recipient : (failed[at] ?? fields.recipient)
      const response = responseOf(fields, contextOf, classifier)
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
  contextOf: (recipient: string) => string,
  classifier: ReasonClassifier,
): ReportedResponse {
  const details = fields['x-display-reason']?.[0] ?? fields['x-supplementary-info']?.[0] ?? ''
  const message = diagnostic || details || mostSpecificLine(contextOf(recipient), recipient)
  // A status code in the mail server's message replaces a general status code such as 5.0.0,
  // because it is more specific.
  const specific = statusIn(message)
  const isGeneral = status === undefined || (status.endsWith('.0.0') && specific !== undefined)
  return describeResponse(classifier, {
    source: diagnosticType,
    message,
    status: isGeneral ? (specific ?? status) : status,
    context: diagnostic ? details : '',
  })
}

/**
 * Maximum recipients without an address, such as the path of a file, that are looked up in the text
 * of a delivery report.
 */
const maxNames = 20

/**
 * Creates a function that returns a delivery report's text from the mention of a recipient on. If
 * the text does not mention the recipient, the function returns the beginning of the text. The text
 * is read once, and once more for each of the first `maxNames` recipients without an address.
 */
function contextsIn(text: string): (recipient: string) => string {
  let positions: Map<string, number> | undefined
  let names = 0
  return (recipient) => {
    if (!recipient.includes('@')) {
      const named = names++ < maxNames ? Math.max(0, text.indexOf(recipient)) : 0
      return text.slice(named, named + maxContext)
    }
    positions ??= new Map(
      addressesInProse(text, maxMentions)
        .toReversed()
        .map(({ address, start }) => [address.toLowerCase(), start]),
    )
    const at = positions.get(recipient.toLowerCase()) ?? 0
    return text.slice(at, at + maxContext)
  }
}

/** Delivery results per recipient that a delivery report in plain text states. */
export function resultsOfText(
  headers: Headers,
  text: ReportText,
  original: Headers,
): RecipientResult[] {
  const subject = headers['subject']?.[0] ?? ''
  const action = detectAction(subject, text.own)
  const to = lowerCase(headers['to']?.[0])
  const excluded = new Set([
    ...to,
    ...lowerCase(headers['from']?.[0]),
    ...lowerCase(original['from']?.[0]),
    ...lowerCase(original['sender']?.[0]),
  ])
  const failed = lowerCase(headers['x-failed-recipients']?.join(','))
  const inText = findRecipients(text.own, excluded)
  const contexts = new Map(inText.map((one) => [one.recipient.toLowerCase(), one.context]))
  const named =
    failed.length > 0
      ? failed.map((recipient) => ({
          recipient,
          context: contexts.get(recipient) ?? text.own.slice(0, maxContext),
          lead: '',
        }))
      : inText
  const recipients = named.length > 0 ? named : inferRecipients(text, original, to)
  const classifier = new ReasonClassifier()
  return recipients.map(({ recipient, context, lead }) => {
    const inContext = responseInText(classifier, recipient, context)
    // Takes the reason of a failed delivery from the report's text before the recipient's address
    // if the text behind the address states no known reason.
    const isInLead = inContext.category === 'unknown' && lead !== ''
    const inLead = isInLead ? responseInText(classifier, recipient, lead) : inContext
    const response = inLead.category === 'unknown' ? inContext : inLead
    return defined({ recipient, action, response, mta: hostIn(context) })
  })
}

function responseInText(
  classifier: ReasonClassifier,
  recipient: string,
  context: string,
): ReportedResponse {
  const message = mostSpecificLine(context, recipient)
  const status = statusIn(message) ?? statusIn(context)
  return describeResponse(classifier, { source: 'smtp', message, status, context })
}

/** Host name of a mail server that a delivery report's text names. */
function hostIn(text: string): string | undefined {
  return /(?:host|server|remote host|by|from)\s{1,9}([\w-]{1,60}(?:\.[\w-]{1,60}){1,8})/i.exec(
    text,
  )?.[1]
}

/**
 * Recipient of a delivery report that names no recipient: the only recipient of the original
 * message, or the account's own address.
 */
function inferRecipients(
  { own }: ReportText,
  original: Headers,
  to: string[],
): ReportedRecipient[] {
  const [only, second] = lowerCase(original['to']?.[0])
  const context = own.slice(0, maxContext)
  if (only !== undefined && second === undefined) return [{ recipient: only, context, lead: '' }]
  const ownInLowerCase = own.toLowerCase()
  const self = to.find((address) => ownInLowerCase.includes(`<${address}>`))
  return self === undefined ? [] : [{ recipient: self, context, lead: '' }]
}

interface ResponseInput {
  source: string
  message: string
  status: string | undefined
  /**
   * Further text of the report that may state the reason why a mail server rejected the message.
   */
  context: string
}

function describeResponse(
  classifier: ReasonClassifier,
  { source, message, status, context }: ResponseInput,
): ReportedResponse {
  const byMessage = classifier.classify(message, status)
  const category =
    byMessage === 'unknown' && context !== '' ? classifier.classify(context, status) : byMessage
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

/** Enhanced status code (RFC 3463) in the message of a mail server. */
function statusIn(message: string): string | undefined {
  return /(?:^|[\s#(:[-])([245]\.\d{1,3}\.\d{1,3})(?![\d.])/.exec(message)?.[1]
}

function lowerCase(value = ''): string[] {
  return addressesInHeader(value, maxHeaderAddresses).map((address) => address.toLowerCase())
}
