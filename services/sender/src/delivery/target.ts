import { hostname } from 'node:os'
import { type Bus } from '@posthorn/bus'
import { type Credentials, getCredentials, type Settings } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import type { SendingAccount } from '../store/accounts.ts'
import type { Target } from '../transports/transport.ts'
import { DeliveryError, NotAttempted } from './delivery-error.ts'

export interface TargetDeps {
  bus: Pick<Bus, 'ask'>
  settings: Settings
  signal: AbortSignal
  credentialsMs: number
}

/**
 * Where an account's mail goes out.
 *
 * @throws DeliveryError when the account has nothing to send with any more
 */
export function targetOf(account: SendingAccount, deps: TargetDeps): Target {
  if (!account.smtp)
    throw new DeliveryError({
      message: 'The account has no SMTP configuration',
      code: 'SMTPUnavailable',
    })
  const { settings } = deps
  const { host, port, secure = false, tls, auth, useAuthServer } = account.smtp
  const verifyCertificate =
    tls?.rejectUnauthorized !== false && settings.ignoreMailCertErrors !== true
  const ehloName = account.smtpEhloName ?? settings.smtpEhloName ?? hostname()
  const logsIn = Boolean(auth) || useAuthServer === true
  return {
    account: account.account,
    // Everything that a session depends on: a change of any makes new ones.
    key: JSON.stringify([account.account, account.version, verifyCertificate, ehloName]),
    host,
    port,
    secure,
    verifyCertificate,
    ...(tls?.minVersion === undefined ? {} : { minTlsVersion: tls.minVersion }),
    ehloName,
    credentials: async () => (logsIn ? await askCredentials(account.account, deps) : undefined),
  }
}

async function askCredentials(
  account: string,
  { bus, signal, credentialsMs }: TargetDeps,
): Promise<Credentials> {
  const how = { key: 'credentials', timeoutMs: credentialsMs, signal }
  try {
    return await bus.ask(getCredentials, { account, protocol: 'smtp' }, how)
  } catch (error) {
    // Nobody there to ask says nothing about the message; every other answer is one.
    if (
      signal.aborted ||
      !(error instanceof AppError) ||
      ['unavailable', 'timeout'].includes(error.kind)
    )
      throw new NotAttempted('credentials cannot be had now', { cause: error })
    throw new DeliveryError(
      { message: error.message, code: codeOf(error), command: 'AUTH' },
      { cause: error },
    )
  }
}

function codeOf({ code, kind }: AppError): string {
  if (code === undefined || code === 'AuthenticationFails')
    return kind === 'rejected' ? 'EAUTH' : 'ECREDENTIALS'
  return code
}
