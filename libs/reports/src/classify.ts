import { foreignReasons } from './other-languages.ts'
import type { BounceCategory, ReportedResponse } from './report.ts'

/**
 * Patterns of words in the rejection messages of mail servers, by bounce category, most specific
 * first. The first match decides.
 */
const messagePatterns: readonly (readonly [BounceCategory, RegExp])[] = [
  ['virus_detected', /\bvirus|malware|infected|trojan|malicious (?:content|attachment)|phish/i],
  [
    'greylisting',
    /gr[ea]y-?list|try again (?:later|in \d)[^.]{0,40}(?:seconds|minutes)|postgrey|temporarily deferred[^.]{0,80}new/i,
  ],
  [
    'auth_failure',
    /\b(?:spf|dkim|dmarc)\b|unauthenticated (?:email|mail|sender)|sender (?:id|policy framework)|purported responsible|authenticat\w{1,10} (?:checks?|requirements)|not authori[sz]ed to send|ptr record|reverse dns|5\.7\.(?:2[0-9]|509|515)\b|no (?:valid )?rdns|cannot find your (?:reverse )?hostname/i,
  ],
  [
    'geo_blocked',
    /(?:country|geo(?:graphic\w{0,6}|ip)?|region)[^.]{0,40}(?:block|not (?:allowed|accepted)|reject|den)|(?:block|reject)\w{0,5} (?:by|your|from) (?:country|geo|region)/i,
  ],
  [
    'domain_blacklisted',
    /uribl|surbl|\bdbl\b|(?:domain|sender|url|uri|link|helo)[^.]{0,60}(?:black|block|deny)-?\s?list|(?:black|block)-?list\w{0,5}[^.]{0,40}(?:domain|url|uri)\b|bad reputation of (?:the )?domain|domain[^.]{0,30}(?:poor|bad|low) reputation/i,
  ],
  [
    'ip_blacklisted',
    /dnsbl|\brbl\b|spamhaus|spamcop|barracudacentral|sorbs|\bcbl\b|\bxbl\b|\bpbl\b|black-?\s?list|block-?\s?list|(?<!not )listed (?:in|on|at|by)|bad reputation|poor reputation|reputation|(?:your|client|sending|source|connecting) (?:ip|host|server|network)[^.]{0,60}(?:block|ban|reject|refus|deni|not allowed)|blocked using|banned sending ip|\bip (?:address )?(?:is |has been |was )?(?:blocked|banned|rejected|denied)/i,
  ],
  [
    'server_error',
    /hop count|too many hops|mail loop|(?:unable|wasn'?t able|could ?n[o']t|failed) to (?:connect|establish an? (?:smtp )?connection)|(?:operation|connection|session) timed[ -]?out|in the queue too long|connection (?:refused|reset|lost|dropped)/i,
  ],
  [
    'mailbox_full',
    /quota|mailbox (?:is |size )?(?:full|limit|exceed)|(?:mail)?box[- ](?:is )?(?:full|over|too large)|over ?quota|(?:in|user'?s|recipient'?s?|account|inbox|maildir|mail ?drop|storage)[^.]{0,30}(?:is )?(?:full|exceed|over)\b|not enough (?:storage|disk) space (?:for|in) (?:user|mailbox)|insufficient (?:system )?storage|exceeded storage|disk (?:space|quota)|full mailbox|too many messages in|stuffed|5\.2\.2\b|4\.2\.2\b/i,
  ],
  [
    'mailbox_disabled',
    /(?:mailbox|account|user|recipient|address|e-?mail)[^.]{0,60}(?:disabled?|suspend|inactive|deactivat|not active|expired|locked|closed|terminated|discontinued|no longer (?:active|in use|available|valid|works|with)|temporarily unavailable|frozen)|(?:disabled|suspended|inactive|closed|locked) (?:mailbox|account|user|recipient)|not accepting messages|5\.2\.1\b|over (?:one|a) year inactive/i,
  ],
  [
    'relay_denied',
    /relay(?:ing)?[^.]{0,30}(?:den|not (?:permitted|allowed)|prohibit|refus|reject|access)|(?:unable|not (?:permitted|allowed)|cannot|can't|denied) to relay|we do not relay|not a (?:local|gateway)|no relay|isn't in my (?:list of allowed )?rcpthosts|rcpthosts|not one of our (?:local )?domains|not local|insecure mail relay|5\.7\.1[^.]{0,80}relay/i,
  ],
  [
    'invalid_address',
    /\b(?:host|domain)(?: name)?[^.]{0,20}(?:does ?n[o']t exist|not (?:found|known)|unknown)|(?:unknown|no such) (?:host|domain)/i,
  ],
  [
    'user_unknown',
    /(?:user|recipient|mailbox|account|address|addressee|alias|person|member|name|login)[^.]{0,80}(?:unknown|does ?n[o']?t (?:exist|have)|not (?:exist|found|known|here|listed|recogni[sz]ed|a (?:valid|known)|our customer|registered|available)|isn't|rejected|unrouteable|undeliverable here|not in)|(?:unknown|no such|nonexist\w{0,6}|non-existent|bad|invalid|unrecogni[sz]ed|undefined|illegal|not a valid|nosuch)[ -]+(?:local |virtual |smtp |destination |mail |e-?mail |final )?(?:user|recipient|mailbox|account|addressee|alias|person|name|login|local[- ]part|entry|pobox|box)|user unknown|unknown user|no (?:mailbox|account|user|recipient|one|person|mail box) (?:here|by|with|found|there|named)|does ?n[o']t (?:exist|have an? .{0,60}account)|not a (?:known|valid) (?:user|mailbox|recipient)|recipientnotfound|recipnotfound|address (?:rejected|unknown)|unable to find (?:user|recipient)|can'?t find (?:user|recipient)|doesn't like recipient|does not like recipient|unknown in (?:virtual|local|relay)|mailbox (?:unavailable|not available|not found)|user not found|5\.1\.(?:1|10|6)\b|\bno such (?:user|person)|recipient (?:not )?found|has moved|left the (?:company|organi)/i,
  ],
  [
    'invalid_address',
    /(?:host|domain|mail ?server|server|mx)[^.]{0,40}(?:unknown|does ?n[o']t exist|not (?:exist|found|known)|no mx|lookup)|(?:unknown|no such|invalid|bad|illegal|nonexist\w{0,6}) (?:host|domain|mail ?server)|host (?:unknown|not found)|name service error|nxdomain|no (?:mx|valid|such)[^.]{0,20}(?:mx|host|record|domain)|null ?mx|domain (?:name )?(?:not found|does not (?:exist|accept))|does not accept (?:mail|e-?mail)|dns[^.]{0,30}(?:fail|error|not found)|couldn'?t find any host|unrouteable|unroutable|bad (?:destination|recipient) (?:mailbox )?(?:address|syntax)|(?:syntax|malformed|invalid) (?:error )?(?:in )?(?:the )?(?:recipient |destination |mail(?:box)? )?address|address (?:syntax|format)|5\.1\.[23]\b|5\.4\.4\b|authoritative host not found/i,
  ],
  [
    'rate_limited',
    /rate[- ]?limit|too (?:many|fast|much)\b|throttl|(?:exceed|over)\w{0,6} (?:the )?(?:rate|number of|max\w{0,10}|daily|hourly|sending|message) ?(?:limit|messages|connections|recipients)?|(?:limit|volume)[^.]{0,30}exceed|try (?:again )?slower|slow down|concurren\w{1,6} connections|excessive/i,
  ],
  [
    'spam_blocked',
    /\bspam|\buce\b|\bube\b|unsolicited|junk|bulk (?:e-?)?mail|content (?:rejected|filter|restriction)|message (?:looks like|is likely|scored|content)|spamassassin|score|not accepted for policy|suspicious/i,
  ],
  [
    'policy_blocked',
    /polic(?:y|ies)|not (?:permitted|allowed|authori[sz]ed|accepted)|prohibit|forbid|block(?:ed)?\b|denied|refus(?:ed|es|al)|reject(?:ed|s)?\b|restrict|banned|too (?:large|big)|(?:message |mail )?size|exceeds (?:the )?(?:max\w{0,10}|fixed|size)|permission|access|5\.3\.4\b|5\.2\.3\b|5\.7\.\d/i,
  ],
  [
    'server_error',
    /time(?:d)?[- ]?out|connection (?:refused|reset|lost|closed|dropped|died|failed)|(?:unable|not able|cannot|could ?n[o']t|wasn'?t able|failed) to (?:connect|establish|open|deliver|contact|reach|be delivered)|unreachable|no route|temporar|too (?:long in|old)|in the queue too long|expired|retry time(?:out)?|(?:local|internal|system|server|configuration|service|software) (?:error|failure|problem|unavailable|config)|loop(?:s|ing)?\b|hop count|too many hops|mailer error|cannot be (?:reached|contacted)|insufficient|resources|disk full|tls|certificate|service not available|not responding|did not respond|4\.[034]\.\d/i,
  ],
]

/**
 * Bounce categories of status codes (RFC 3463), for rejection messages without conclusive words.
 */
const statusCategories: readonly (readonly [RegExp, BounceCategory])[] = [
  [/^[45]\.1\.(?:1|6|10)$/, 'user_unknown'],
  [/^[45]\.1\.(?:0|2|3|4|5|9)$/, 'invalid_address'],
  [/^[45]\.2\.1$/, 'mailbox_disabled'],
  [/^[45]\.2\.2$/, 'mailbox_full'],
  [/^[45]\.(?:2\.3|3\.4)$/, 'policy_blocked'],
  [/^[45]\.4\.4$/, 'invalid_address'],
  [/^4\.7\.\d+$/, 'rate_limited'],
  [/^[45]\.7\.(?:2\d|509|515)$/, 'auth_failure'],
  [/^5\.[67]\.\d+$/, 'policy_blocked'],
  [/^[45]\.[345]\.\d+$/, 'server_error'],
]

/** Pattern of status codes that take precedence over any words of a rejection message. */
const conclusiveStatus = /^[45]\.(?:2\.2|7\.(?:2\d|509|515)|1\.10)$/

/** Maximum characters of a rejection message that are read for its bounce category. */
const maxMessage = 2_048

/**
 * Bounce category of a rejection, from the mail server's message and the status code (RFC 3463).
 */
export function classify(message: string, status: string | undefined): BounceCategory {
  const text = withoutAddresses(message)
  return combine(conclusiveCategory(status) ?? categoryOfWords(text), categoryOfStatus(status))
}

/**
 * Maximum characters of rejection messages that `ReasonClassifier` reads. Large reports repeat a
 * few messages.
 */
const maxClassified = 32_768

/**
 * Classifies the rejections of all recipients of a delivery report. Reads equal rejection messages
 * once, and at most 32 KiB of different messages. Further messages are classified by their status
 * code alone.
 */
export class ReasonClassifier {
  readonly #categories = new Map<string, BounceCategory | undefined>()
  #remaining = maxClassified

  classify(message: string, status: string | undefined): BounceCategory {
    const conclusive = conclusiveCategory(status)
    if (conclusive) return conclusive
    const text = withoutAddresses(message)
    if (!this.#categories.has(text) && text.length <= this.#remaining) {
      this.#remaining -= text.length
      this.#categories.set(text, categoryOfWords(text))
    }
    return combine(this.#categories.get(text), categoryOfStatus(status))
  }
}

/**
 * Removes the email addresses from a rejection message, because addresses may contain the words by
 * which messages are classified.
 */
function withoutAddresses(message: string): string {
  return message
    .slice(0, maxMessage)
    .replace(/\S+/g, (word) => (word.includes('@', 1) && !word.endsWith('@') ? '' : word))
}

function categoryOfWords(text: string): BounceCategory | undefined {
  return [...messagePatterns, ...foreignReasons].find(([, pattern]) => pattern.test(text))?.[0]
}

function categoryOfStatus(status = ''): BounceCategory | undefined {
  return statusCategories.find(([pattern]) => pattern.test(status))?.[1]
}

function conclusiveCategory(status = ''): BounceCategory | undefined {
  return conclusiveStatus.test(status) ? categoryOfStatus(status) : undefined
}

function combine(
  byWords: BounceCategory | undefined,
  byStatus: BounceCategory | undefined,
): BounceCategory {
  const isVague = byWords === 'policy_blocked' || byWords === 'server_error'
  const isStatusSpecific =
    byStatus !== undefined && !['policy_blocked', 'server_error'].includes(byStatus)
  return (isVague && isStatusSpecific ? byStatus : byWords) ?? byStatus ?? 'unknown'
}

type Blocklist = NonNullable<ReportedResponse['blocklist']>

const lists: readonly (readonly [RegExp, Blocklist])[] = [
  [/\bdbl\.spamhaus|spamhaus dbl/i, { name: 'Spamhaus DBL', type: 'domain' }],
  [/spamhaus/i, { name: 'Spamhaus', type: 'ip' }],
  [/spamcop/i, { name: 'SpamCop', type: 'ip' }],
  [/barracuda/i, { name: 'Barracuda', type: 'ip' }],
  [/sorbs/i, { name: 'SORBS', type: 'ip' }],
  [/surbl/i, { name: 'SURBL', type: 'domain' }],
  [/uribl/i, { name: 'URIBL', type: 'domain' }],
  [/uceprotect/i, { name: 'UCEPROTECT', type: 'ip' }],
  [/invaluement/i, { name: 'Invaluement', type: 'ip' }],
  [/abuseat|\bcbl\b/i, { name: 'CBL', type: 'ip' }],
  [/psbl/i, { name: 'PSBL', type: 'ip' }],
  [/mailspike/i, { name: 'Mailspike', type: 'ip' }],
  [/senderscore|returnpath|return path/i, { name: 'Sender Score', type: 'ip' }],
  [/proofpoint|pphosted/i, { name: 'Proofpoint', type: 'ip' }],
  [/cloudmark/i, { name: 'Cloudmark', type: 'ip' }],
  [/trendmicro|mail-abuse\.(?:com|org)/i, { name: 'Trend Micro', type: 'ip' }],
]

/** Blocklist (list of blocked senders) that the rejection message of a mail server names. */
export function findBlocklist(message: string, category: BounceCategory): Blocklist | undefined {
  const applicable = ['ip_blacklisted', 'domain_blacklisted', 'spam_blocked', 'policy_blocked']
  if (!applicable.includes(category)) return undefined
  return lists.find(([pattern]) => pattern.test(message.slice(0, maxMessage)))?.[1]
}

const units: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/**
 * Seconds to wait before the next delivery attempt, as the rejection message of a mail server
 * states; at most 1 week.
 */
export function parseRetryAfter(message: string): number | undefined {
  const [, amount, unit = ''] =
    /(?:again|retry|wait|after|in|for)[^.\d]{0,30}(\d{1,5})\s{0,9}(s|sec|seconds?|m|min|minutes?|h|hours?|d|days?)\b/i.exec(
      message.slice(0, maxMessage),
    ) ?? []
  const seconds = Number(amount) * (units[unit.slice(0, 1).toLowerCase()] ?? Number.NaN)
  return seconds > 0 ? Math.min(seconds, 604_800) : undefined
}
