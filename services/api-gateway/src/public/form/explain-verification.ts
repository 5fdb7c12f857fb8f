import type { VerificationResult } from '@posthorn/contracts/schemas/verification'
import { isNotTested, isRejectedLogin } from '../../accounts/probe-servers.ts'
import type { PageTexts } from '../texts/english.ts'

export interface VerificationProblem {
  /**
   * Field of the hosted form that displays the error text of a failed mail server login; `none` if
   * no login could be attempted.
   */
  at: 'pass' | 'host' | 'none'
  text: string
}

/** Maximum length of a mail server's response on the form page. */
const maxReplyCharacters = 300

/**
 * Describes a failed mail server login; undefined for a successful login. All servers that cannot
 * be used get the same text, and server replies are shown only if they answer a login. The form is
 * therefore useless for scanning internal networks.
 */
export function explainVerification(
  result: VerificationResult,
  texts: PageTexts['form']['verification'],
): VerificationProblem | undefined {
  if (result.success) return undefined
  const { login, loginWithReply, server, unavailable } = texts
  if (isNotTested(result)) return { at: 'none', text: unavailable }
  if (isRejectedLogin(result)) {
    const reply = result.responseText?.slice(0, maxReplyCharacters).toWellFormed()
    return { at: 'pass', text: reply ? loginWithReply(reply) : login }
  }
  return { at: 'host', text: server }
}
