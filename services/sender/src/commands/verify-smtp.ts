import { type CommandHandler, on } from '@posthorn/bus'
import { verifySmtp } from '@posthorn/contracts/commands/verify'
import type { CommandRequest } from '@posthorn/contracts/define'
import { defined } from '@posthorn/contracts/defined'
import type { VerificationResult } from '@posthorn/contracts/schemas/verification'
import type { SettingsCache } from '@posthorn/db'
import type { UnsealLogin } from '@posthorn/unseal'
import { chooseNetworkPath, type Destination } from '../transports/smtp/destination.ts'
import { type SmtpLimits, SmtpSession } from '../transports/smtp/smtp-session.ts'
import { AttemptError } from '../transports/transport.ts'

export interface VerifySmtpDeps {
  settings: SettingsCache
  unsealLogin: UnsealLogin
  limits: SmtpLimits
}

/**
 * Share of the time limit of a login check at an SMTP server that is reserved for the reply to the
 * requester.
 */
const replyMarginMs = 500

/** Checks a login at an SMTP server without an account. The credentials are not stored. */
export function onVerifySmtp({ settings, unsealLogin, limits }: VerifySmtpDeps): CommandHandler {
  return on(verifySmtp, async (request, { signal, deadline }) => {
    const destination = await destinationOf(request, { settings, unsealLogin })
    const timeout = AbortSignal.timeout(Math.max(1, deadline - Date.now() - replyMarginMs))
    try {
      const either = AbortSignal.any([signal, timeout])
      const session = await SmtpSession.open({ destination, limits, signal: either })
      session.close()
      return { verdict: { success: true } }
    } catch (error) {
      if (error instanceof AttemptError) return { verdict: failureVerdict(error) }
      if (signal.aborted || !timeout.aborted) throw error
      const message = 'The mail server did not complete the login in time'
      return { verdict: { success: false, error: message, code: 'ETIMEDOUT' } }
    }
  })
}

async function destinationOf(
  { server, credentials, ehloName, proxy }: CommandRequest<typeof verifySmtp>,
  { settings: cache, unsealLogin }: Pick<VerifySmtpDeps, 'settings' | 'unsealLogin'>,
): Promise<Destination> {
  const { host, port, secure = false, tls } = server
  const settings = await cache.get()
  const preferences = { account: '', proxy: proxy ?? null, localAddress: null, accountProxy: null }
  const path = chooseNetworkPath(preferences, settings)
  return defined({
    ...path,
    proxy: path.proxy === undefined ? undefined : await unsealLogin(path.proxy),
    key: '',
    host,
    port,
    secure,
    allowsPlaintext: tls?.requireStartTls === false,
    verifyCertificate:
      tls?.rejectUnauthorized !== false &&
      (settings.ignoreMailCertErrors !== true || path.proxy !== undefined),
    minTlsVersion: tls?.minVersion,
    ehloName: ehloName ?? settings.smtpEhloName,
    credentials: () => Promise.resolve(credentials),
  })
}

function failureVerdict({ outcome: { failure } }: AttemptError): VerificationResult {
  const { message: error, code, response: responseText, responseCode: statusCode } = failure
  return defined({ success: false, error, code, statusCode, responseText })
}
