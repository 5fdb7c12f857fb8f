/** What a server answered to a login that it did not let in. */
export interface LoginResponse {
  /** NO, BAD or BYE. */
  status?: string
  /** Its response code, in capitals. */
  code?: string
  text: string
}

/** RFC 5530 §3 and what providers add: the server is in trouble or had enough, which says nothing about the credentials. */
const temporaryCodes = new Set([
  'UNAVAILABLE',
  'SERVERBUG',
  'INUSE',
  'LIMIT',
  'OVERQUOTA',
  'THROTTLED',
  'CORRUPTION',
  'CLIENTBUG',
])
/** Needs a person to mend it: another password, another way to log in, a word with whoever runs the server. */
const credentialCodes = new Set([
  'AUTHENTICATIONFAILED',
  'AUTHORIZATIONFAILED',
  'EXPIRED',
  'PRIVACYREQUIRED',
  'CONTACTADMIN',
  'WEBALERT',
  'REFERRAL',
])

/** Said beside AUTHENTICATIONFAILED as well: by servers that lock out after failures, or whose directory is away. */
const temporaryText =
  /too many|\blimit|temporar|unavailable|try again (?:later|in)|time[d-]? ?out|throttl|server (?:error|busy)|internal error|overload|maintenance|\bbusy\b/i
const subjectText =
  /\b(?:log-?ins?|log ?on|auth\w*|passw\w*|pass phrase|credentials?|user ?(?:name|id)?|account|mailbox|imap(?: access)?)\b/i
const failureText =
  /invalid|incorrect|wrong|\bbad\b|fail|denied|refus|reject|unknown|disabled|expired|locked|suspend|block|mismatch|no such|unauthori[sz]ed|required|\bnot\b/i
/** Whole sentences of servers that say it otherwise. */
const phrases =
  /please log ?in|yet to enable imap|authori[sz](?:ed|ation) code|app(?:lication)?[- ]?(?:specific )?password|authenticated but not connected|unsafe login/i

/**
 * Whether an answer to a login says that the credentials are refused. Codes decide; texts where there is none that does. What is unclear
 * does not count against credentials: an outage must not end in a switched-off account.
 */
export function rejectsCredentials({ status, code, text }: LoginResponse): boolean {
  if (code !== undefined && temporaryCodes.has(code)) return false
  if (temporaryText.test(text)) return false
  if (code !== undefined && credentialCodes.has(code)) return true
  if (phrases.test(text)) return true
  // BAD says that the command was wrong, whatever words come with it.
  return status !== 'BAD' && subjectText.test(text) && failureText.test(text)
}
