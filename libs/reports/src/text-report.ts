import {
  isDelayed,
  isOver,
  labels,
  notDelivered,
  plainSubjects,
  prepositions,
} from './other-languages.ts'
import type { DeliveryAction } from './report.ts'

/** What a report in words says of one recipient. */
export interface ReportedRecipient {
  recipient: string
  /** The words about it. */
  words: string
}

export interface TextHints {
  /** Addresses that cannot be the recipient: whose report it is, and whoever it goes to. */
  others: ReadonlySet<string>
}

const address = String.raw`[\w.!#$%&'*+/=?^{|}~-]{1,64}@[\w.-]{1,200}[\w]`
const maxRecipients = 100
/** Letters of words kept for one recipient. */
const maxWords = 1_500

/** Where in a text an address is named as one that could not be reached, the plainest forms first. `$` is the address. */
const forms = [
  // <a@b>: and what is wrong with it, as qmail, Postfix, Courier, Yahoo write it.
  String.raw`^[ \t]*<($)>(?:\.{3})?[ \t]*(?::|\n|\(|$|\.)`,
  // An address alone on a line, its reason below or behind: Exim, Exchange, Domino, GroupWise and many more.
  String.raw`^[ \t*>-]*(?:<|")?($)(?:>|")?[ \t]*(?:$|:|;|,?[ \t]*\(|[ \t]\[|[ \t]+on[ \t]|[ \t]-[ \t]|\.{3})`,
  // Labels.
  String.raw`^[ \t*]*(?:final-|failed |original[ -])?(?:recipients?|rcpt to|to|user|mailbox|(?:target )?(?:mail )?address|unknown user|invalid (?:user|recipient|address)|empf\W{1,3}nger|destinataire|destinatario)(?:\(s\)|\(es\))?[ \t]*(?:address)?[ \t]*:[ \t]*(?:rfc822;)?[ \t]*<?($)>?`,
  // In a sentence, or in the SMTP dialogue.
  String.raw`(?:(?:deliver\w*|sent|send|mail|message|reach\w*|recipients?|addresse?s?|permanent errors|user|account|mailbox)\b[^\n@<]{0,80}?(?:to|for|address|recipients?|errors|user|account|mailbox|is)?(?:\(s\)|\(es\))?:?[ \t\n]+)["'<]*($)`,
  String.raw`rcpt[ \t]+to:[ \t]*<($)>`,
  String.raw`[45]\d\d[ -](?:[45]\.\d+\.\d+[ \t]+)?<?($)>?`,
  String.raw`(?:quota violation for|no such user|user unknown|unknown user|unknown recipient|not found)[:,]?[ \t]+["'<(]*($)`,
  String.raw`<($)>`,
  String.raw`\bto:[ \t]+<?($)`,
]
/** The same in other languages: between the plainest forms and those of English, and behind all of them. */
const otherLabels = String.raw`^[ \t*]*(?:${labels})[ \t]*[:：][ \t]*(?:rfc822;)?[ \t]*["'«„<]*($)`
const otherSentences = [
  String.raw`(?:^|[\s(])(?:${prepositions})[\s:]+["'«„<(]*($)`,
  String.raw`(?:^|[\s"'«„「『(<:：])($)`,
]

const compile = (form: string) => new RegExp(form.replace('$)', `${address})`), 'gimu')
const english = forms.map(compile)
const others = [...forms.slice(0, 2), otherLabels, ...forms.slice(2), ...otherSentences].map(
  compile,
)

/** The recipients that a text names as not reached, with what it says of each. Time in proportion to the text. */
export function findRecipients(said: string, hints: TextHints): ReportedRecipient[] {
  const text = said.slice(0, 65_536)
  for (const pattern of notDelivered.test(text) ? others : english) {
    const found = new Map<string, { recipient: string; at: number; end: number }>()
    for (const match of text.matchAll(pattern)) {
      const recipient = (match[1] ?? '').replace(/\.$/, '')
      const known = recipient.toLowerCase()
      if (hints.others.has(known) || isMachine(known) || found.has(known)) continue
      found.set(known, { recipient, at: match.index, end: match.index + match[0].length })
      if (found.size >= maxRecipients) break
    }
    if (found.size > 0) return collectWords(text, [...found.values()])
  }
  return []
}

function isMachine(address: string): boolean {
  return (
    /^(?:mailer-daemon|postmaster|abuse|no-?reply|noreply|mail-?daemon)@/.test(address) ||
    /\.(?:png|gif|jpe?g)$/.test(address)
  )
}

/** What stands between one address and the next; for the only one, what stands before it as well. */
function collectWords(
  text: string,
  found: { recipient: string; at: number; end: number }[],
): ReportedRecipient[] {
  return found.map(({ recipient, at }, index) => {
    const next = found[index + 1]?.at ?? text.length
    const before = found.length === 1 ? text.slice(Math.max(0, at - maxWords), at) : ''
    const after = text.slice(at, Math.min(next, at + maxWords))
    return {
      recipient,
      words: tidy(after.length > recipient.length + 20 ? after : `${before}${after}`),
    }
  })
}

function tidy(words: string): string {
  return words
    .replace(/[ \t]*\n[ \t]*/g, '\n')
    .replace(/\n{2,}/g, '\n')
    .replace(/[ \t]{2,}/g, ' ')
    .trim()
}

/** The line that says most: what a server answered, else the first line of words. */
export function mostSpecificLine(words: string, recipient: string): string {
  const lines = words
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const spoken = lines.findIndex((line) => /\b[45]\d\d[ -]|\b[45]\.\d{1,3}\.\d{1,3}\b/.test(line))
  if (spoken >= 0) return withRest(lines, spoken)
  const other = lines.findIndex(
    (line) =>
      line.replace(/[<>:"]/g, '').trim() !== recipient &&
      /\p{L}{3}/u.test(line.replace(recipient, '')),
  )
  return withRest(lines, Math.max(0, other))
}

/** The line and what goes on with it: not what was said next. */
function withRest(lines: readonly string[], at: number): string {
  const rest = lines.slice(at + 1, at + 3)
  const next = rest.findIndex((line) => /^(?:[<>]{3}|[2-5]\d\d[ -]|\S+@\S+)/.test(line))
  return [lines[at] ?? '', ...(next < 0 ? rest : rest.slice(0, next))].join(' ').slice(0, 1_000)
}

const delays =
  /\bdelay|will (?:continue|keep|be) (?:to )?(?:try|retr|attempt)|(?:will|is going to) (?:be )?(?:retr|try)|not yet been delivered|has not been delivered (?:yet|within)|could not be delivered (?:yet|for)|still (?:being|trying|in the queue|undelivered)|do not need to (?:do anything|resend)|no action is required|warning[: ]|temporar(?:y|ily) (?:problem|failure|deferred|undeliverable)|will retry|retrying|not be delivered for \d+/i
const ends =
  /giv(?:en?|ing) up|not going to try|permanent(?:ly)?|couldn'?t be delivered|too long|expired|fatal|returned (?:to sender|mail|message)|failed (?:permanently|to deliver)|undeliverable|has been (?:rejected|returned|cancel)|delivery (?:has )?failed|failure/i

/** Nobody says this who has given up. */
const goesOn =
  /attempts will continue|will (?:continue to|keep) (?:try|attempt|retry)|will be retried|still trying|not yet been delivered/i

/** Whether a report in words says that it is over, or that it is being tried again. */
export function detectAction(subject: string, said: string): DeliveryAction {
  const head = said.slice(0, 4_096)
  const all = `${subject}\n${head}`
  if (/\bwarning\b|\bdelay/i.test(subject) || goesOn.test(head)) return 'delayed'
  // Only where it is another language: the words mean other things in English.
  const isElsewhere = plainSubjects.test(subject) || notDelivered.test(head)
  if (isElsewhere && isDelayed.test(all)) return isOver.test(all) ? 'failed' : 'delayed'
  return delays.test(head) && !ends.test(all) ? 'delayed' : 'failed'
}
