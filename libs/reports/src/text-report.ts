import {
  foreignDelay,
  foreignFinal,
  foreignNotDelivered,
  foreignSubjects,
} from './other-languages.ts'
import type { DeliveryAction } from './report.ts'

/**
 * Finds the line of a plain-text delivery report that contains a mail server's response. Without
 * such a line, finds the first line other than the recipient's address.
 */
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

/**
 * Joins a line of a delivery report in plain text with its continuation, up to the next response of
 * a mail server.
 */
function withContinuation(lines: readonly string[], at: number): string {
  const rest = lines.slice(at + 1, at + 3)
  const next = rest.findIndex((line) => /^(?:[<>]{3}|[2-5]\d\d[ -]|\S+@\S+)/.test(line))
  return [lines[at] ?? '', ...(next < 0 ? rest : rest.slice(0, next))].join(' ').slice(0, 1_000)
}

const delayPattern =
  /\bdelay|will (?:continue|keep|be) (?:to )?(?:try|retr|attempt)|(?:will|is going to) (?:be )?(?:retr|try)|not yet been delivered|has not been delivered (?:yet|within)|could not be delivered (?:yet|for)|still (?:being|trying|in the queue|undelivered)|do not need to (?:do anything|resend)|no action is required|warning[: ]|temporar(?:y|ily) (?:problem|failure|deferred|undeliverable)|will retry|retrying|not be delivered for \d+/i
const failurePattern =
  /giv(?:en?|ing) up|not going to try|permanent(?:ly)?|couldn'?t be delivered|too long|expired|fatal|returned (?:to sender|mail|message)|failed (?:permanently|to deliver)|undeliverable|has been (?:rejected|returned|cancel)|delivery (?:has )?failed|failure/i

/** Phrases by which mail servers say in a delivery report that they will retry the delivery. */
const retryPattern =
  /attempts will continue|will (?:continue to|keep) (?:try|attempt|retry)|will be retried|still trying|not yet been delivered/i

/**
 * Result of the mail delivery that a delivery report in plain text describes: failed, or delayed
 * and retried.
 */
export function detectAction(subject: string, text: string): DeliveryAction {
  const head = text.slice(0, 4_096)
  const all = `${subject}\n${head}`
  if (/\bwarning\b|\bdelay/i.test(subject) || retryPattern.test(head)) return 'delayed'
  // Words for a delayed delivery are searched only in delivery reports in the language of the
  // words, because the words have other meanings in English.
  const isForeign = foreignSubjects.test(subject) || foreignNotDelivered.test(head)
  if (isForeign && foreignDelay.test(all)) return foreignFinal.test(all) ? 'failed' : 'delayed'
  return delayPattern.test(head) && !failurePattern.test(all) ? 'delayed' : 'failed'
}
