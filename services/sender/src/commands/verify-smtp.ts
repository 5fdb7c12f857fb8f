import { type CommandHandler, on } from '@posthorn/bus'
import { type CommandRequest, type VerificationResult, verifySmtp } from '@posthorn/contracts'
import type { SettingsCache } from '@posthorn/db'
import type { UnsealLogin } from '@posthorn/unseal'
import { AttemptError } from '../transports/transport.ts'
import { chooseNetworkPath } from '../attempt/network-path.ts'
import { type SmtpLimits, SmtpSession } from '../transports/smtp-session.ts'
import type { Destination } from '../transports/transport.ts'

export interface Deps {
  settings: SettingsCache
  openLogin: UnsealLogin
  limits: SmtpLimits
}

/** Kept of the time there is for the answer to arrive in. */
const marginMs = 500

/** Logs in at a server that belongs to no account yet. Credentials come with the question, and are gone with it. */
export function onVerifySmtp({ settings, openLogin, limits }: Deps): CommandHandler {
  return on(verifySmtp, async (asked, { signal, deadline }) => {
    const target = await targetOf(asked, { settings, openLogin })
    const late = AbortSignal.timeout(Math.max(1, deadline - Date.now() - marginMs))
    try {
      const session = await SmtpSession.open(target, limits, AbortSignal.any([signal, late]))
      session.close()
      return { verdict: { success: true } }
    } catch (error) {
      if (error instanceof AttemptError) return { verdict: refusal(error) }
      if (signal.aborted || !late.aborted) throw error
      const message = 'The mail server took too long to let us in'
      return { verdict: { success: false, error: message, code: 'ETIMEDOUT' } }
    }
  })
}

async function targetOf(
  { server, credentials, ehloName, proxy }: CommandRequest<typeof verifySmtp>,
  { settings, openLogin }: Pick<Deps, 'settings' | 'openLogin'>,
): Promise<Destination> {
  const { host, port, secure = false, tls } = server
  const current = await settings.get()
  const { ignoreMailCertErrors = false, smtpEhloName } = current
  const name = ehloName ?? smtpEhloName
  const wishes = { account: '', proxy: proxy ?? null, localAddress: null, accountProxy: null }
  const way = chooseNetworkPath(wishes, current)
  return {
    ...way,
    ...(way.proxy === undefined ? {} : { proxy: await openLogin(way.proxy) }),
    key: '',
    host,
    port,
    secure,
    verifyCertificate: !ignoreMailCertErrors && tls?.rejectUnauthorized !== false,
    ...(tls?.minVersion === undefined ? {} : { minTlsVersion: tls.minVersion }),
    ...(name === undefined ? {} : { ehloName: name }),
    credentials: () => Promise.resolve(credentials),
  }
}

function refusal({ failure }: AttemptError): VerificationResult {
  const { message, code, response, responseCode } = failure
  return {
    success: false,
    error: message,
    ...(code === undefined ? {} : { code }),
    ...(responseCode === undefined ? {} : { statusCode: responseCode }),
    ...(response === undefined ? {} : { responseText: response }),
  }
}
