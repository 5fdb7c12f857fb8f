/** Content of a tagged NO or BAD response of an IMAP server, or of a BYE. */
export interface ServerResponse {
  status?: string
  /** Response code of the IMAP response, in capitals. */
  code?: string
  text: string
}

/**
 * IMAP response codes to a login that report a failure of the server, unrelated to the credentials:
 * codes of RFC 5530 §3 and of providers.
 */
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
/**
 * IMAP response codes for login failures that a person must repair: a wrong password, a wrong login
 * method, or a setting of the server.
 */
const credentialCodes = new Set([
  'AUTHENTICATIONFAILED',
  'AUTHORIZATIONFAILED',
  'EXPIRED',
  'PRIVACYREQUIRED',
  'CONTACTADMIN',
  'WEBALERT',
  'REFERRAL',
])

/**
 * Texts that some IMAP servers send with AUTHENTICATIONFAILED after a lockout or while their
 * directory of users is unavailable.
 */
const temporaryText =
  /too many|\blimit|temporar|unavailable|try again (?:later|in)|time[d-]? ?out|throttl|server (?:error|busy)|internal error|overload|maintenance|\bbusy\b/i
const subjectText =
  /\b(?:log-?ins?|log ?on|auth\w*|passw\w*|pass phrase|credentials?|user ?(?:name|id)?|account|mailbox|imap(?: access)?)\b/i
const failureText =
  /invalid|incorrect|wrong|\bbad\b|fail|denied|refus|reject|unknown|disabled|expired|locked|suspend|block|mismatch|no such|unauthori[sz]ed|required|\bnot\b/i
/** Phrases with which some IMAP servers reject the credentials of a login. */
const phrases =
  /please log ?in|yet to enable imap|authori[sz](?:ed|ation) code|app(?:lication)?[- ]?(?:specific )?password|authenticated but not connected|unsafe login/i

/**
 * True if the response to a login rejects the credentials. The response code takes precedence over
 * the text. An unclear response does not count as a rejection, because an outage must not disable
 * an account.
 */
export function rejectsCredentials({ status, code, text }: ServerResponse): boolean {
  if (code !== undefined && temporaryCodes.has(code)) return false
  if (temporaryText.test(text)) return false
  if (code !== undefined && credentialCodes.has(code)) return true
  if (phrases.test(text)) return true
  // A BAD response to a login reports a syntax error, so its text is ignored.
  return status !== 'BAD' && subjectText.test(text) && failureText.test(text)
}
