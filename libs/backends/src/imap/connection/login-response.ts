/** Content of a tagged NO or BAD response of an IMAP server, or of a BYE. */
export interface ServerResponse {
  status?: string
  /** Response code of the IMAP response, in capitals. */
  code?: string
  text: string
}

/**
 * Response codes to a login for failures of the IMAP server, unrelated to the credentials: RFC 5530
 * §3 and codes of providers.
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
 * Response codes for login failures that a person must fix: password, login method, or a setting of
 * the server.
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
/** Complete phrases with which some IMAP servers reject the credentials of a login. */
const phrases =
  /please log ?in|yet to enable imap|authori[sz](?:ed|ation) code|app(?:lication)?[- ]?(?:specific )?password|authenticated but not connected|unsafe login/i

/**
 * True if the response to a login rejects the credentials. Codes take precedence over texts.
 * Unclear responses are not a rejection, because an outage must not disable an account.
 */
export function rejectsCredentials({ status, code, text }: ServerResponse): boolean {
  if (code !== undefined && temporaryCodes.has(code)) return false
  if (temporaryText.test(text)) return false
  if (code !== undefined && credentialCodes.has(code)) return true
  if (phrases.test(text)) return true
  // A BAD response to a login is a syntax error, whatever its text.
  return status !== 'BAD' && subjectText.test(text) && failureText.test(text)
}
