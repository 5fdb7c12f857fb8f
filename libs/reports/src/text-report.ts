import {
  foreignDelay,
  foreignFinal,
  recipientLabels,
  foreignNotDelivered,
  foreignSubjects,
  recipientPrepositions,
} from './other-languages.ts'
import type { DeliveryAction } from './report.ts'

/** Recipient named in a text report. */
interface ReportedRecipient {
  recipient: string
  /** Text about the recipient. */
  context: string
}

const address = String.raw`[\w.!#$%&'*+/=?^{|}~-]{1,64}@[\w.-]{1,200}[\w]`
const maxRecipients = 100
/** Limit of the text about one recipient, in characters. */
export const maxContext = 1_500

/** Forms in which reports name a failed recipient, most reliable first. `$` is the address. */
const englishForms = [
  // `<a@b>: reason`: qmail, Postfix, Courier, Yahoo.
  String.raw`^[ \t]*<($)>(?:\.{3})?[ \t]*(?::|\n|\(|$|\.)`,
  // An address alone on a line, the reason below or behind it: Exim, Exchange, Domino, GroupWise.
  String.raw`^[ \t*>-]*(?:<|")?($)(?:>|")?[ \t]*(?:$|:|;|,?[ \t]*\(|[ \t]\[|[ \t]+on[ \t]|[ \t]-[ \t]|\.{3})`,
  // Labels.
  String.raw`^[ \t*]*(?:final-|failed |original[ -])?(?:recipients?|rcpt to|to|user|mailbox|(?:target )?(?:mail )?address|unknown user|invalid (?:user|recipient|address)|empf\W{1,3}nger|destinataire|destinatario)(?:\(s\)|\(es\))?[ \t]*(?:address)?[ \t]*:[ \t]*(?:rfc822;)?[ \t]*<?($)>?`,
  // In a sentence, or in an SMTP transcript.
  String.raw`(?:(?:deliver\w*|sent|send|mail|message|reach\w*|recipients?|addresse?s?|permanent errors|user|account|mailbox)\b[^\n@<]{0,80}?(?:to|for|address|recipients?|errors|user|account|mailbox|is)?(?:\(s\)|\(es\))?:?[ \t\n]+)["'<]*($)`,
  String.raw`rcpt[ \t]+to:[ \t]*<($)>`,
  String.raw`[45]\d\d[ -](?:[45]\.\d+\.\d+[ \t]+)?<?($)>?`,
  String.raw`(?:quota violation for|no such user|user unknown|unknown user|unknown recipient|not found)[:,]?[ \t]+["'<(]*($)`,
  String.raw`<($)>`,
  String.raw`\bto:[ \t]+<?($)`,
]
/** Labels in other languages, after the two most reliable English forms. */
const foreignLabels = String.raw`^[ \t*]*(?:${recipientLabels})[ \t]*[:：][ \t]*(?:rfc822;)?[ \t]*["'«„<]*($)`
/** Sentences in other languages, after all English forms. */
const foreignSentences = [
  String.raw`(?:^|[\s(])(?:${recipientPrepositions})[\s:]+["'«„<(]*($)`,
  String.raw`(?:^|[\s"'«„「『(<:：])($)`,
]

const compile = (form: string) => new RegExp(form.replace('$)', `${address})`), 'gimu')
const englishPatterns = englishForms.map(compile)
const foreignPatterns = [
  ...englishForms.slice(0, 2),
  foreignLabels,
  ...englishForms.slice(2),
  ...foreignSentences,
].map(compile)

/**
 * Failed recipients that a text names, with the text about each. Linear in time. `excluded` are
 * addresses that cannot be the recipient: sender and addressee of the report, in lower case.
 */
export function findRecipients(
  reportText: string,
  excluded: ReadonlySet<string>,
): ReportedRecipient[] {
  const text = reportText.slice(0, 65_536)
  for (const pattern of foreignNotDelivered.test(text) ? foreignPatterns : englishPatterns) {
    const matches = new Map<string, { recipient: string; at: number }>()
    for (const match of text.matchAll(pattern)) {
      const recipient = (match[1] ?? '').replace(/\.$/, '')
      const key = recipient.toLowerCase()
      if (excluded.has(key) || isMachine(key) || matches.has(key)) continue
      matches.set(key, { recipient, at: match.index })
      if (matches.size >= maxRecipients) break
    }
    if (matches.size > 0) return addContexts(text, [...matches.values()])
  }
  return []
}

function isMachine(address: string): boolean {
  return (
    /^(?:mailer-daemon|postmaster|abuse|no-?reply|noreply|mail-?daemon)@/.test(address) ||
    /\.(?:png|gif|jpe?g)$/.test(address)
  )
}

/** Text from one address to the next; for a single address also the text before it. */
function addContexts(
  text: string,
  matches: { recipient: string; at: number }[],
): ReportedRecipient[] {
  return matches.map(({ recipient, at }, index) => {
    const next = matches[index + 1]?.at ?? text.length
    const before = matches.length === 1 ? text.slice(Math.max(0, at - maxContext), at) : ''
    const after = text.slice(at, Math.min(next, at + maxContext))
    return {
      recipient,
      context: tidy(after.length > recipient.length + 20 ? after : `${before}${after}`),
    }
  })
}

function tidy(text: string): string {
  return text
    .replace(/[ \t]*\n[ \t]*/g, '\n')
    .replace(/\n{2,}/g, '\n')
    .replace(/[ \t]{2,}/g, ' ')
    .trim()
}

/** Line with a server's response, else the first line of text other than the address. */
export function mostSpecificLine(text: string, recipient: string): string {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const response = lines.findIndex((line) => /\b[45]\d\d[ -]|\b[45]\.\d{1,3}\.\d{1,3}\b/.test(line))
  if (response >= 0) return withContinuation(lines, response)
  const other = lines.findIndex(
    (line) =>
      line.replace(/[<>:"]/g, '').trim() !== recipient &&
      /\p{L}{3}/u.test(line.replace(recipient, '')),
  )
  return withContinuation(lines, Math.max(0, other))
}

/** Line with its continuation, up to the next response. */
function withContinuation(lines: readonly string[], at: number): string {
  const rest = lines.slice(at + 1, at + 3)
  const next = rest.findIndex((line) => /^(?:[<>]{3}|[2-5]\d\d[ -]|\S+@\S+)/.test(line))
  return [lines[at] ?? '', ...(next < 0 ? rest : rest.slice(0, next))].join(' ').slice(0, 1_000)
}

const delayPattern =
  /\bdelay|will (?:continue|keep|be) (?:to )?(?:try|retr|attempt)|(?:will|is going to) (?:be )?(?:retr|try)|not yet been delivered|has not been delivered (?:yet|within)|could not be delivered (?:yet|for)|still (?:being|trying|in the queue|undelivered)|do not need to (?:do anything|resend)|no action is required|warning[: ]|temporar(?:y|ily) (?:problem|failure|deferred|undeliverable)|will retry|retrying|not be delivered for \d+/i
const failurePattern =
  /giv(?:en?|ing) up|not going to try|permanent(?:ly)?|couldn'?t be delivered|too long|expired|fatal|returned (?:to sender|mail|message)|failed (?:permanently|to deliver)|undeliverable|has been (?:rejected|returned|cancel)|delivery (?:has )?failed|failure/i

/** Phrases that only a server writes that will retry. */
const retryPattern =
  /attempts will continue|will (?:continue to|keep) (?:try|attempt|retry)|will be retried|still trying|not yet been delivered/i

/** Result of a text report: failed, or delayed and retried. */
export function detectAction(subject: string, text: string): DeliveryAction {
  const head = text.slice(0, 4_096)
  const all = `${subject}\n${head}`
  if (/\bwarning\b|\bdelay/i.test(subject) || retryPattern.test(head)) return 'delayed'
  // The words of other languages have other meanings in English.
  const isForeign = foreignSubjects.test(subject) || foreignNotDelivered.test(head)
  if (isForeign && foreignDelay.test(all)) return foreignFinal.test(all) ? 'failed' : 'delayed'
  return delayPattern.test(head) && !failurePattern.test(all) ? 'delayed' : 'failed'
}
