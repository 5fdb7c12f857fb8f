import { setTimeout as delay } from 'node:timers/promises'
import type { Bus } from '@posthorn/bus'
import { verifyImap, verifySmtp } from '@posthorn/contracts/commands/verify'
import { defined } from '@posthorn/contracts/defined'
import type {
  VerificationResult,
  VerifiedMailbox,
  VerifyRequest,
} from '@posthorn/contracts/schemas/verification'
import { unusableServer } from '@posthorn/contracts/visible-failures'
import { AppError } from '@posthorn/errors'
import { secretOf } from './login-secret.ts'

export interface ProbeOptions {
  bus: Bus
  timeoutMs: number
  signal: AbortSignal
}

export interface ProbeResult {
  imap?: VerificationResult
  smtp?: VerificationResult
  mailboxes?: VerifiedMailbox[]
}

/**
 * Lets a sync-worker and a sender log in to the mail servers of a request. If the command to a
 * sync-worker or sender fails, the result contains the error as a failed login.
 */
export async function probeServers(
  { bus, timeoutMs, signal }: ProbeOptions,
  request: VerifyRequest,
): Promise<ProbeResult> {
  const options = { timeoutMs, signal }
  const toImap = { ...options, key: 'verify.imap' }
  const toSmtp = { ...options, key: 'verify.smtp' }
  const { imap, smtp } = request
  const [incoming, outgoing] = await Promise.all([
    isUsed(imap) && orFailure(bus.request(verifyImap, imapRequest(imap, request), toImap), signal),
    smtp && orFailure(bus.request(verifySmtp, smtpRequest(smtp, request), toSmtp), signal),
  ])
  return defined({
    imap: incoming ? incoming.verdict : undefined,
    smtp: outgoing ? outgoing.verdict : undefined,
    mailboxes: incoming && 'mailboxes' in incoming ? incoming.mailboxes : undefined,
  })
}

type Imap = Extract<VerifyRequest['imap'], { host: string; port: number }>
type Smtp = Exclude<VerifyRequest['smtp'], false | undefined>

function isUsed(imap: VerifyRequest['imap']): imap is Imap {
  return Boolean(imap) && (imap as Imap).disabled !== true
}

function imapRequest(
  { auth, disableIMAP4rev2, ...server }: Imap,
  { mailboxes = false, proxy }: VerifyRequest,
) {
  return {
    server: { ...connectionOf(server), ...defined({ disableIMAP4rev2 }) },
    credentials: credentialsOf(auth) ?? { user: '', pass: '' },
    mailboxes,
    ...defined({ proxy: proxy || undefined }),
  }
}

function smtpRequest({ auth, ...server }: Smtp, { smtpEhloName, proxy }: VerifyRequest) {
  return defined({
    server: connectionOf(server),
    credentials: credentialsOf(auth),
    ehloName: smtpEhloName || undefined,
    proxy: proxy || undefined,
  })
}

function connectionOf({ host, port, secure, tls }: Omit<Imap | Smtp, 'auth'>) {
  return defined({ host, port, secure, tls })
}

/** Mail server credentials of a request. Undefined if the credentials are incomplete. */
function credentialsOf(auth: Imap['auth']) {
  if (!auth) return undefined
  const secret = secretOf(auth)
  if (secret === undefined) return undefined
  return auth.accessToken
    ? { user: auth.user, accessToken: secret }
    : { user: auth.user, pass: secret }
}

/**
 * Maps an error of the command that tests a login to a failed result. Rethrows the error if the
 * client has disconnected.
 */
async function orFailure<T extends { verdict: VerificationResult }>(
  reply: Promise<T>,
  signal: AbortSignal,
): Promise<T | { verdict: VerificationResult }> {
  try {
    return await reply
  } catch (error) {
    if (signal.aborted || !(error instanceof AppError)) throw error
    const { kind, message, code } = error
    const statusCode = kind === 'timeout' ? 504 : kind === 'unavailable' ? 503 : 500
    return { verdict: { success: false, error: message, statusCode, ...defined({ code }) } }
  }
}

export interface LimitedProbeOptions extends ProbeOptions {
  /**
   * Fixed duration of a test login at a mail server that cannot be used, unless `timeoutMs` is
   * shorter.
   */
  unusableMs: number
  /** Waits until the fixed duration of a test login at a mail server is over. Replaced in tests. */
  wait?: (ms: number, signal: AbortSignal) => Promise<unknown>
}

/**
 * Error codes of rejected logins. Such a code shows that the server is a mail server of the tested
 * protocol.
 */
const loginCodes = /^(?:AUTHENTICATIONFAILED|AUTHORIZATIONFAILED|EXPIRED|WEBALERT|EAUTH)$/

/**
 * Variant of `probeServers` (test logins at mail servers) for callers without full rights, who
 * could scan internal networks. Closed, silent and forbidden ports, other services and invalid
 * certificates have the same error after the same time. Rejected logins keep their details.
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

/** True if the mail server rejected the login, as opposed to not being a mail server. */
export function isRejectedLogin({ code = '' }: VerificationResult): boolean {
  return loginCodes.test(code)
}

/**
 * True if no worker could run the test login at a mail server. The result then says nothing about
 * the server.
 */
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
