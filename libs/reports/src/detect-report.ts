import { isAutoReply } from '@posthorn/mime'
import type { ReportText } from './original.ts'
import {
  foreignDelay,
  foreignMachineNames,
  foreignNotDelivered,
  foreignSubjects,
} from './other-languages.ts'
import { first, type Headers, type ReportParts } from './parse-parts.ts'

const oneOf = (...patterns: string[]) => patterns.join('|')

/** Pattern of the sender names and addresses of mail systems, of today and of the nineties. */
const machineSenders = new RegExp(
  oneOf(
    'mailer-?daemon|postmaster|system administrator|delivery subsystem|bounce|<>|^$',
    'mail[-_ ]?(?:deliver\\w{0,3}|administrator|admin\\b|system|subsystem|daemon)',
    'mail[-_ ]?(?:router|transport|transfer|gateway|hub|server|robot)',
    'smtp[-_ ]?(?:mail[-_ ]?service|gateways?|server|daemon|service|mta)\\b',
    '\\b(?:mmdf|pmdf|mdaemon|xmail|smail)\\b|internet mail (?:delivery|service)|non-?delivery',
    '\\be-?mail[-_ ](?:daemon|system|delivery)|message router|\\bmta(?:-daemon)?@|\\bmds@',
  ),
  'i',
)
/** Pattern of the beginnings of subjects of delivery reports that only mail servers write. */
const conclusiveSubject = new RegExp(
  `^\\W*(?:${oneOf(
    'undeliver|non-?deliver|nondeliverable|nd[nr]:|failure notice|failed (?:mail|e-?mail|delivery|message)|failure delivery',
    'deliver\\w{0,4} (?:status notif|failure|fail\\b|has failed|failed|report|error|problem|unsuccessful|incomplete|delayed|notification: delivery)',
    'returned (?:mail|e-?mail|message|to sender)|returning (?:mail|e-?mail|message)|mail returned',
    '(?:e-?)?mail (?:delivery (?:fail|problem|system|error|status|warning|delay|notif)|system error|could not|failed|failure|not delivered|undeliver|delayed)',
    'message (?:not delivered|undeliver|delayed|status - undeliver|could not|delivery|was not|returned|delivered in part)',
    "(?:unable|failed|failure) to (?:deliver|send)|could ?n[o']t (?:be )?(?:deliver|send)|can ?not (?:be )?deliver|permanent (?:delivery )?(?:error|failure)",
    "your (?:message|e-?mail|mail) (?:\\S{1,20} )?(?:could|was|has|can)(?: ?not|n't)\\b|(?:there was an )?error (?:sending|delivering)|xmail bounce|delayed (?:mail|delivery)",
    '(?:delivery )?warning: (?:could not|message|e-?mail|mail|delivery|delayed|unable)|not delivered:|rejected mail',
    '系统退信|退信|(?:邮件|信件)?(?:投递|发送)失败|无法投递',
  )})`,
  'i',
)
const likelySubject =
  /non-?deliver|undeliver|deliver\w{0,4} (?:report|status|fail|problem|error|notif|has failed|delayed)|fail(?:ed|ure) (?:delivery|notice|report)|failure notice|mail delivery|returned (?:mail|e-?mail|message|to sender)|returning message|not (?:be )?(?:delivered|deliverable)|message (?:status|delayed|undeliverable)|mail system error|could ?n[o']t (?:be )?deliver|bounce|delivery|nondeliverable|non remis|unzustellbar|no se puede entregar|permanent error|rejected|error sending|退信|投递|配信|エラー|送信/i
/** Phrases of common mail servers for a message that was not delivered, or not yet. */
const notDelivered = new RegExp(
  oneOf(
    "(?:could|can|was|were|is|are|did|has|have|had|will) ?n[o']t (?:yet )?(?:be |been )?(?:yet )?(?:deliver|reach|sent\\b|receive|accepted by)",
    "(?:unable|not able|wasn't able|not possible|impossible) to (?:deliver|send|reach|transfer|be delivered)|not delivered|undeliver|non-?deliver",
    'deliver\\w{0,4} (?:\\S{1,60} ){0,8}(?:fail|unsuccessful|problem|error|incomplete|impossible)',
    'fail(?:ed|ure|s)? (?:\\S{1,60} ){0,3}deliver|failed (?:address|recipient|permanently)|giving up on',
    '(?:permanent|transient|fatal|delivery|non-fatal) (?:fatal |non-fatal |delivery )?(?:error|problem|failure)',
    '(?:address|recipient|user)(?:\\(e?s\\)|e?s)?:? (?:\\S{1,60} ){0,4}(?:failed|rejected|refused|had)\\b',
    '(?:message|mail)[^.\\n]{0,60} (?:was|has been|been|is|being) (?:rejected|refused|returned|bounced|blocked|delayed|discarded)',
    'return(?:ed|ing) to (?:the |its )?sender|transcript of (?:the )?session|error occurred[^.\\n]{0,30} (?:deliver|send)',
    "returning (?:your |the )?(?:mail|message)|bounced?:|did ?n[o']t get through|(?:no such|unknown) (?:user|recipient|mailbox|host|domain)|user unknown",
    '无法(?:投递|送达|发送)|未能(?:投递|送达)|投递失败|被退回',
  ),
  'i',
)
/** Pattern of the subject prefixes of replies and forwarded messages. */
const replySubject =
  /^\s{0,9}(?:re|fwd?|aw|wg|antw|sv|vs|rv|res|enc|tr|odp|ynt|r|i)\s{0,9}(?:\[\d+\])?:/i
const serverCode = /\b[45]\d\d[ -]\S|\b[45]\.\d\.\d/

/** Maximum characters of a delivery report's text that are searched for phrases. */
const maxSearched = 65_536

/**
 * True if the headers of a message, as parsed by `parseHeaders`, look like headers of a delivery
 * report or complaint. Callers fetch only such messages as a whole. False for text reports that
 * come from a person.
 */
export function mayBeReport(headers: Headers): boolean {
  const type = first(headers, 'content-type').toLowerCase()
  if (/report-type\s{0,9}=\s{0,9}"?(?:delivery-status|feedback-report)/.test(type)) return true
  if (headers['x-failed-recipients']) return true
  const subject = first(headers, 'subject')
  return (
    hasEmptyReturnPath(headers) ||
    isFromMachine(headers) ||
    isConclusive(subject) ||
    /complaint|abuse|feedback/i.test(subject)
  )
}

/** True if a message without a delivery status part may be a delivery report in plain text. */
export function mayBounce({ headers, reportType }: ReportParts, text: ReportText): boolean {
  if (reportType === 'delivery-status' || headers['x-failed-recipients']) return true
  const subject = first(headers, 'subject')
  // Automatic replies (RFC 3834) come from machines as well. A vacation message, for example, is
  // not a delivery report, unless only mail servers write its subject.
  if (isAutoReply(headers) && !isConclusive(subject)) return false
  const isReportSubject = likelySubject.test(subject) || foreignSubjects.test(subject)
  const signs = findSigns(text)
  if (isFromMachine(headers)) return isReportSubject || signs.hasPhrase || signs.isAboutMail
  if (hasEmptyReturnPath(headers)) return isReportSubject || (signs.hasPhrase && signs.isAboutMail)
  return describesBounce(subject, signs)
}

/** Signs in the text of a message that the message is a delivery report. */
interface TextSigns {
  own: string
  /**
   * True if the text of a possible delivery report states that another message was not delivered.
   */
  hasPhrase: boolean
  /**
   * True if the text of a possible delivery report contains the original message or the status code
   * of a mail server.
   */
  isAboutMail: boolean
}

function findSigns(text: ReportText): TextSigns {
  const own = text.own.slice(0, maxSearched)
  return {
    own,
    hasPhrase: [notDelivered, foreignNotDelivered, foreignDelay].some((words) => words.test(own)),
    isAboutMail: text.returned !== '' || serverCode.test(own),
  }
}

/**
 * True if subject and text of a message together identify a delivery report. In other languages the
 * text must also show the original message or a server's code, because the words apply to parcels
 * as well.
 */
function describesBounce(subject: string, { own, isAboutMail }: TextSigns): boolean {
  if (replySubject.test(subject)) return false
  if (conclusiveSubject.test(subject) && notDelivered.test(own)) return true
  return isAboutMail && foreignSubjects.test(subject) && foreignNotDelivered.test(own)
}

function isConclusive(subject: string): boolean {
  return conclusiveSubject.test(subject) || foreignSubjects.test(subject)
}

function isFromMachine(headers: Headers): boolean {
  const from = first(headers, 'from')
  return machineSenders.test(from) || foreignMachineNames.test(from)
}

function hasEmptyReturnPath(headers: Headers): boolean {
  return first(headers, 'return-path') === '<>'
}
