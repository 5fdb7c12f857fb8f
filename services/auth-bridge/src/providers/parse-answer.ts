import type { Credentials } from '@posthorn/contracts'
import { parseObject } from '../parse-object.ts'

/** An answer is believed this long before it says that it ends: the login must still happen. */
const marginMs = 60_000
/** Answers are never kept longer: who revokes a token at the source should not wait. */
const maxKeptMs = 5 * 60_000
/** Without an end of its own an answer serves one burst of logins, no more. */
const burstMs = 5_000

export interface Answer {
  credentials: Credentials
  /** Epoch milliseconds. */
  until: number
}

/**
 * Reads `{user, accessToken}` or `{user, pass}`, with `expires` (ISO date or seconds since 1970) if it likes. Undefined where it is
 * neither. Line breaks and NUL are refused: the values end up in IMAP and SMTP commands.
 */
export function parseAnswer(text: string, now: number): Answer | undefined {
  const body = parseObject(text)
  if (!body) return undefined
  const user = oneLine(body['user'], 1_024)
  const accessToken = oneLine(body['accessToken'], 16_384)
  const pass = oneLine(body['pass'], 4_096)
  if (user === undefined) return undefined
  const until = keepUntil(body['expires'], now)
  if (accessToken !== undefined) return { credentials: { user, accessToken }, until }
  return pass === undefined ? undefined : { credentials: { user, pass }, until }
}

function oneLine(value: unknown, maxLength: number): string | undefined {
  return typeof value === 'string' &&
    value !== '' &&
    value.length <= maxLength &&
    !/[\0\r\n]/.test(value)
    ? value
    : undefined
}

function keepUntil(expires: unknown, now: number): number {
  const end =
    typeof expires === 'number'
      ? expires * 1_000
      : typeof expires === 'string'
        ? Date.parse(expires)
        : NaN
  return Number.isFinite(end) ? Math.min(end - marginMs, now + maxKeptMs) : now + burstMs
}
