import type { VerificationResult } from '@posthorn/contracts'
import { formTexts } from './form-texts.ts'

export interface VerificationProblem {
  /** Field that displays the text; `none` if no login could be attempted. */
  at: 'pass' | 'host' | 'none'
  text: string
}

/** Maximum length of a server's response on the page. */
const maxReplyCharacters = 300

const loginCodes = /^(?:AUTHENTICATIONFAILED|AUTHORIZATIONFAILED|EXPIRED|WEBALERT|EAUTH)$/
/** Certificate errors of Node's TLS. */
const certificateCodes =
  /^(?:ERR_TLS_CERT_.*|CERT_.*|DEPTH_.*|SELF_SIGNED_.*|UNABLE_TO_.*|HOSTNAME_MISMATCH)$/

/**
 * Describes a failed login; undefined for a successful one. Closed, silent and blocked ports have
 * the same text, and only the reply to a login is shown, so that the form cannot scan our network.
 */
export function explainVerification(result: VerificationResult): VerificationProblem | undefined {
  if (result.success) return undefined
  const { code = '', responseText, statusCode } = result
  const { login, serverReply, certificate, server, unavailable } = formTexts.verification
  if (code === 'WorkerNotAvailable' || (statusCode === 503 && responseText === undefined))
    return { at: 'none', text: unavailable }
  if (loginCodes.test(code)) {
    const reply = responseText?.slice(0, maxReplyCharacters).toWellFormed()
    return { at: 'pass', text: reply ? `${login} ${serverReply(reply)}` : login }
  }
  return { at: 'host', text: certificateCodes.test(code) ? certificate : server }
}
