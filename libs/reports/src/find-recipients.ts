import { type AddressMatch, addressesInProse } from './addresses.ts'
import { foreignNotDelivered, recipientLabels, recipientPrepositions } from './other-languages.ts'

/** Recipient that a delivery report in plain text names. */
export interface ReportedRecipient {
  recipient: string
  /** Section of a delivery report's text that is about one recipient. */
  context: string
  /**
   * Text of the delivery report before the recipient's address. Empty if that text may be about
   * another recipient.
   */
  lead: string
}

/** Maximum characters of a delivery report's text that are searched for recipients. */
const maxText = 65_536
/**
 * Maximum email addresses of a delivery report's text that are examined. Each address costs a
 * constant number of steps.
 */
const maxAddresses = 500
const maxRecipients = 100
/** Maximum characters of a delivery report's text about one recipient. */
export const maxContext = 1_500

/**
 * Patterns of a delivery report's text before and after a recipient's address. Repetitions are
 * bounded, so that each test takes constant time.
 */
type Form = readonly [before: string, after?: string]

/**
 * Text forms in which delivery reports name a failed recipient, most reliable forms first. The
 * forms of an inner array are tried together, after the earlier arrays named no recipient.
 */
const englishSteps: readonly (readonly Form[])[] = [
  // Recipient's address in the form `<a@b>: reason` in a delivery report: qmail, Postfix, Courier,
  // Yahoo.
  [[String.raw`^[ \t]{0,40}<`, String.raw`>(?:\.{3})?[ \t]{0,40}(?::|\(|\.|$)`]],
  // Recipient's address alone on a line of a delivery report, with the reason below or behind it:
  // Exim, Exchange, Domino, GroupWise.
  [
    [
      String.raw`^[ \t*>-]{0,40}[<"]?`,
      String.raw`[>"]?(?:[ \t]{0,40}(?:$|:|;|,?[ \t]{0,9}\(|\.{3})|[ \t]{1,40}(?:\[|on[ \t]|-[ \t]))`,
    ],
  ],
  // Recipient's address behind a label in a delivery report, such as `Recipient:`.
  [
    [
      String.raw`^[ \t*]{0,40}(?:final-|failed |original[ -])?(?:recipients?|rcpt to|to|user|mailbox|addressee|(?:target )?(?:e-?)?(?:mail )?address|unknown user|invalid (?:user|recipient|address)|empf\W{1,3}nger|destinataire|destinatario|收[件信]人)(?:\(s\)|\(es\))?[ \t]{0,9}(?:address)?[ \t]{0,40}[:：][ \t]{0,40}(?:rfc822;)?[ \t]{0,9}["<]?`,
    ],
    [
      String.raw`^(?:user mailbox exceeds allowed size|delivery failed|no such user|undeliverable to|user unknown)[: \t]{1,9}<?`,
    ],
  ],
  // Recipient's address in a sentence of a delivery report, or in the response of a mail server.
  [
    [
      String.raw`(?:deliver\w{0,10}|sent|send|mail|message|reach\w{0,10}|recipients?|addresse?s?|permanent errors|user|account|mailbox)\b[^\n@<]{0,80}?(?:to|for|address|recipients?|errors|user|account|mailbox|is)?(?:\(s\)|\(es\))?:?[ \t\n]{1,20}["'<]{0,4}`,
    ],
    [String.raw`(?:quota violation for|no such user|user unknown)[:,]?[ \t]{1,20}["'<(]{0,4}`],
  ],
  // Recipient's address in the transcript of an SMTP session that a delivery report contains.
  [[String.raw`rcpt[ \t]{1,9}to:[ \t]{0,9}<`, '>'], [String.raw`rcpt=\[?`]],
  [[String.raw`[45]\d\d[ -](?:[45]\.\d{1,3}\.\d{1,3}[ \t]{1,9})?<?`]],
  [[String.raw`(?:unknown user|unknown recipient|not found)[:,]?[ \t]{1,20}["'<(]{0,4}`]],
  [['<', '>']],
  [[String.raw`\bto:[ \t]{1,20}<?`]],
]
/**
 * Text form of a recipient behind a label in other languages, tried after the two most reliable
 * English forms.
 */
const foreignLabels: Form = [
  String.raw`^[ \t*]{0,40}(?:${recipientLabels})[ \t]{0,40}[:：][ \t]{0,40}(?:rfc822;)?[ \t]{0,9}["'«„<]{0,4}`,
]
/** Patterns that find a recipient in other languages in bounces, tried after English patterns. */
const foreignSentences: readonly Form[] = [
  [String.raw`(?:^|[\s(])(?:${recipientPrepositions})[\s:]{1,20}["'«„<(]{0,4}`],
  [String.raw`(?:^|[\s"'«„「『(<:：])`],
]

interface CompiledForm {
  before: RegExp
  after: RegExp
}

function compile([before, after = '']: Form): CompiledForm {
  // The pattern for the text before a recipient's address is matched backwards from the address,
  // the pattern for the text behind the address forwards.
  return { before: new RegExp(`(?<=${before})`, 'imuy'), after: new RegExp(after, 'imuy') }
}

const englishPatterns = englishSteps.map((forms) => forms.map(compile))
const foreignPatterns = [
  ...englishSteps.slice(0, 2),
  [foreignLabels],
  ...englishSteps.slice(2),
  ...foreignSentences.map((form) => [form]),
].map((forms) => forms.map(compile))

/**
 * Pattern of the text between two recipient addresses that a delivery report lists in a sentence.
 */
const listSeparator =
  /^["'>)\]]{0,3}\s{0,40}(?:[,;]\s{0,9})?(?:(?:and|or|und|oder|et|ou|y|e|en|и|&)\s{1,9})?["'<([]{0,3}$/iu
/**
 * Pattern of the text between two recipient addresses that a delivery report lists with one address
 * per line.
 */
const lineSeparator = /^["'>)\].:]{0,4}\s{0,40}["'<([*-]{0,3}\s{0,9}["'<]{0,2}$/u
const maxSeparator = 60

/**
 * Finds the failed recipients that a delivery report's text names, with the text about each
 * recipient. Time is proportional to the first 64 KiB. `excluded` are addresses that cannot be the
 * recipient: sender and addressee of the report, in lower case.
 */
export function findRecipients(
  reportText: string,
  excluded: ReadonlySet<string>,
): ReportedRecipient[] {
  const text = reportText.slice(0, maxText)
  const addresses = addressesInProse(text, maxAddresses).filter(({ address }) => {
    const key = address.toLowerCase()
    return !excluded.has(key) && !isMachine(key)
  })
  if (addresses.length === 0) return []
  for (const forms of foreignNotDelivered.test(text) ? foreignPatterns : englishPatterns) {
    const matches = matchForms(text, addresses, forms)
    if (matches.length > 0) return addContexts(text, matches)
  }
  return []
}

/**
 * Finds the recipient addresses in a delivery report's text that match one of the text forms. Also
 * finds the addresses of a list that follow such an address. Each address is returned once.
 */
function matchForms(
  text: string,
  addresses: readonly AddressMatch[],
  forms: readonly CompiledForm[],
): AddressMatch[] {
  const matches = new Map<string, AddressMatch>()
  let previous: AddressMatch | undefined
  for (const match of addresses) {
    if (matches.size >= maxRecipients) break
    const isMatch =
      (previous && isBetween(text, [previous, match], listSeparator)) ||
      forms.some((form) => hasForm(text, match, form))
    previous = isMatch ? match : undefined
    const key = match.address.toLowerCase()
    if (isMatch && !matches.has(key)) matches.set(key, match)
  }
  return [...matches.values()]
}

function hasForm(
  text: string,
  { start, end }: AddressMatch,
  { before, after }: CompiledForm,
): boolean {
  before.lastIndex = start
  after.lastIndex = end
  return before.test(text) && after.test(text)
}

function isBetween(
  text: string,
  [one, next]: readonly [AddressMatch, AddressMatch],
  separator: RegExp,
): boolean {
  return next.start - one.end <= maxSeparator && separator.test(text.slice(one.end, next.start))
}

function isMachine(address: string): boolean {
  return (
    /^(?:mailer-daemon|postmaster|abuse|no-?reply|noreply|mail-?daemon)@/.test(address) ||
    /\.(?:png|gif|jpe?g)$/.test(address)
  )
}

/**
 * Maximum distance of a recipient's address from the beginning of the text about the recipient, in
 * the same line.
 */
const maxLead = 200

/**
 * Adds the text about each recipient: from the line of the recipient's address to the next address.
 * Addresses of a list share the text behind the last address of the list. If no text follows, the
 * text before the first address is used.
 */
function addContexts(text: string, matches: readonly AddressMatch[]): ReportedRecipient[] {
  const starts = matches.map(({ start }, index) => {
    const lead = text.slice(Math.max(matches[index - 1]?.end ?? 0, start - maxLead), start)
    return start - (lead.length - 1 - lead.lastIndexOf('\n'))
  })
  const contexts: string[] = []
  for (let index = matches.length - 1; index >= 0; index--) {
    const [match, next] = [matches[index], matches[index + 1]]
    if (!match) continue
    const at = starts[index] ?? match.start
    const end = Math.min(starts[index + 1] ?? text.length, at + maxContext)
    const isInList =
      next !== undefined &&
      (isBetween(text, [match, next], listSeparator) ||
        isBetween(text, [match, next], lineSeparator))
    contexts[index] = isInList ? (contexts[index + 1] ?? '') : text.slice(at, end)
  }
  const first = starts[0] ?? 0
  const isOneList = new Set(contexts).size === 1
  const before = isOneList ? text.slice(Math.max(0, first - maxContext), first) : ''
  return matches.map(({ address }, index) => {
    const context = contexts[index] ?? ''
    const isShort = context.length <= address.length + 20
    return {
      recipient: address,
      context: tidy(isShort ? `${before}${context}` : context),
      lead: isShort ? '' : tidy(before),
    }
  })
}

function tidy(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim().replace(/[ \t]{2,}/g, ' '))
    .filter((line) => line !== '')
    .join('\n')
}
