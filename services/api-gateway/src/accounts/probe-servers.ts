import type { Bus } from '@posthorn/bus'
import {
  type VerificationResult,
  type VerifiedMailbox,
  verifyImap,
  type VerifyRequest,
  verifySmtp,
} from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'

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

/** Has a sync-worker and a sender log in. Whatever comes of it is the answer, be it that there is none of them. */
export async function probeServers(
  { bus, timeoutMs, signal }: ProbeOptions,
  asked: VerifyRequest,
): Promise<ProbeResult> {
  const how = (key: string) => ({ key, timeoutMs, signal })
  const [incoming, outgoing] = await Promise.all([
    isTried(asked.imap) &&
      tried({ signal }, bus.request(verifyImap, imapQuestion(asked), how('verify.imap'))),
    asked.smtp &&
      tried({ signal }, bus.request(verifySmtp, smtpQuestion(asked), how('verify.smtp'))),
  ])
  return {
    ...(incoming ? { imap: incoming.verdict } : {}),
    ...(outgoing ? { smtp: outgoing.verdict } : {}),
    ...(incoming && 'mailboxes' in incoming ? { mailboxes: incoming.mailboxes } : {}),
  }
}

type Imap = Extract<VerifyRequest['imap'], { host: string; port: number }>
type Smtp = Exclude<VerifyRequest['smtp'], false | undefined>

/** What is disabled, or not there, has nothing to log in at. */
function isTried(imap: VerifyRequest['imap']): imap is Imap {
  return Boolean(imap) && (imap as Imap).disabled !== true
}

function imapQuestion({ imap, mailboxes = false, proxy }: VerifyRequest) {
  const { auth, disableIMAP4rev2, ...server } = imap as Imap
  const credentials = credentialsOf(auth) ?? { user: '', pass: '' }
  const connection = {
    ...connectionOf(server),
    ...(disableIMAP4rev2 === undefined ? {} : { disableIMAP4rev2 }),
  }
  return { server: connection, credentials, mailboxes, ...(proxy ? { proxy } : {}) }
}

function smtpQuestion({ smtp, smtpEhloName, proxy }: VerifyRequest) {
  const { auth, ...server } = smtp as Smtp
  const credentials = credentialsOf(auth)
  return {
    server: connectionOf(server),
    ...(credentials ? { credentials } : {}),
    ...(smtpEhloName ? { ehloName: smtpEhloName } : {}),
    ...(proxy ? { proxy } : {}),
  }
}

/** What of a server matters for a login. */
function connectionOf({ host, port, secure, tls }: Omit<Imap | Smtp, 'auth'>) {
  return {
    host,
    port,
    ...(secure === undefined ? {} : { secure }),
    ...(tls === undefined ? {} : { tls }),
  }
}

/** What is given to log in with; undefined where that is not enough. */
export function credentialsOf(auth: Imap['auth']) {
  if (!auth) return undefined
  const { user, pass, accessToken } = auth
  if (accessToken) return { user, accessToken }
  return pass ? { user, pass } : undefined
}

/** That nobody could try is an answer as well; that the client has left is none. */
async function tried<T extends { verdict: VerificationResult }>(
  { signal }: Pick<ProbeOptions, 'signal'>,
  asked: Promise<T>,
): Promise<T | { verdict: VerificationResult }> {
  try {
    return await asked
  } catch (error) {
    if (signal.aborted || !(error instanceof AppError)) throw error
    const { kind, message, code } = error
    const statusCode = kind === 'timeout' ? 504 : kind === 'unavailable' ? 503 : 500
    const verdict = { success: false, error: message, statusCode }
    return { verdict: code === undefined ? verdict : { ...verdict, code } }
  }
}
