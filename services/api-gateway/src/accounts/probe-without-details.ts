import { setTimeout as delay } from 'node:timers/promises'
import { defined } from '@posthorn/contracts/defined'
import { unusableServer } from '@posthorn/contracts/visible-failures'
import type { VerificationResult, VerifyRequest } from '@posthorn/contracts/schemas/verification'
import { type ProbeOptions, type ProbeResult, probeServers } from './probe-servers.ts'

export interface LimitedProbeOptions extends ProbeOptions {
  /** Duration of every probe of a server that cannot be used, if `timeoutMs` is not shorter. */
  unusableMs: number
  /** Replaced in tests. */
  wait?: (ms: number, signal: AbortSignal) => Promise<unknown>
}

/** Codes of rejected logins: the server speaks the protocol. */
const loginCodes = /^(?:AUTHENTICATIONFAILED|AUTHORIZATIONFAILED|EXPIRED|WEBALERT|EAUTH)$/

/**
 * Variant of `probeServers` for callers without full rights, who could scan our networks. Closed,
 * silent and forbidden ports, other services and invalid certificates have the same error after the
 * same time. Rejected logins keep their details.
 */
export async function probeWithoutDetails(
  { unusableMs, wait = waitFor, ...options }: LimitedProbeOptions,
  request: VerifyRequest,
): Promise<ProbeResult> {
  const startedAt = performance.now()
  const timeoutMs = Math.min(options.timeoutMs, unusableMs)
  const { imap, smtp, mailboxes } = await probeServers({ ...options, timeoutMs }, request)
  if ([imap, smtp].some((result) => result && isUnusable(result)))
    await wait(timeoutMs - (performance.now() - startedAt), options.signal)
  return defined({ imap: withoutDetails(imap), smtp: withoutDetails(smtp), mailboxes })
}

function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return delay(Math.max(0, ms), undefined, { signal })
}

/** True if the server rejected the login, as opposed to not being a mail server. */
export function isRejectedLogin({ code = '' }: VerificationResult): boolean {
  return loginCodes.test(code)
}

/** True if no worker could test the login. Says nothing about the server. */
export function isNotTested({ code, statusCode, responseText }: VerificationResult): boolean {
  return code === 'WorkerNotAvailable' || (statusCode === 503 && responseText === undefined)
}

function isUnusable(result: VerificationResult): boolean {
  return !result.success && !isRejectedLogin(result) && !isNotTested(result)
}

function withoutDetails(result: VerificationResult | undefined): VerificationResult | undefined {
  if (!result || !isUnusable(result)) return result
  return { success: false, ...unusableServer }
}
