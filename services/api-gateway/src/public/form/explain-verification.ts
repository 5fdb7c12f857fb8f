import type { VerificationResult } from '@posthorn/contracts'
import { formTexts } from './form-texts.ts'

export interface VerificationProblem {
  /** Where on the page it belongs; `none`: nobody could try. */
  at: 'pass' | 'host' | 'none'
  text: string
}

/** Of a server's words, so much is shown. */
const maxWords = 300

const loginCodes = /^(?:AUTHENTICATIONFAILED|AUTHORIZATIONFAILED|EXPIRED|WEBALERT|EAUTH)$/
/** Of Node's TLS: what is wrong with a certificate. */
const certificateCodes =
  /^(?:ERR_TLS_CERT_.*|CERT_.*|DEPTH_.*|SELF_SIGNED_.*|UNABLE_TO_.*|HOSTNAME_MISMATCH)$/

/**
 * What came of a login, for whoever filled in the form. That a port is closed, silent, forbidden or something else's is all one here,
 * and only what a mail server says about a login is passed on: the form is no means to look around in our network.
 */
export function explainVerification(verdict: VerificationResult): VerificationProblem | undefined {
  if (verdict.success) return undefined
  const { code = '', responseText, statusCode } = verdict
  const { login, said, certificate, server, unavailable } = formTexts.failed
  if (code === 'WorkerNotAvailable' || (statusCode === 503 && responseText === undefined))
    return { at: 'none', text: unavailable }
  if (loginCodes.test(code)) {
    const words = responseText?.slice(0, maxWords).toWellFormed()
    return { at: 'pass', text: words ? `${login} ${said(words)}` : login }
  }
  return { at: 'host', text: certificateCodes.test(code) ? certificate : server }
}
