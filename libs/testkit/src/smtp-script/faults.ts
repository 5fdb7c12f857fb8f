import { setTimeout as delay } from 'node:timers/promises'
import { defined } from '@posthorn/contracts/defined'
import type { SmtpHook } from './contract.ts'

/** Limits an SMTP hook to the first `count` commands. */
export function times(count: number, hook: SmtpHook): SmtpHook {
  let left = count
  return (command) => (left-- > 0 ? hook(command) : undefined)
}

/**
 * Hook that replies to an SMTP command with `lines`, such as `451-4.7.1 not now`, `451 4.7.1
 * later`. Without lines, the hook never replies.
 */
export function replies(...lines: string[]): SmtpHook {
  return () => lines
}

/** Hook that neither executes the SMTP command nor replies to it. */
export const hangs: SmtpHook = replies()

/** Hook that executes the SMTP command and never replies. */
export const omitsReply: SmtpHook = async (command) => {
  await command.defaultReply()
  return []
}

/** Hook that delays an SMTP command by `ms`. */
export function slow(ms: number): SmtpHook {
  return () => delay(ms, undefined)
}

/** Hook that closes the SMTP connection without a reply. */
export const closes: SmtpHook = () => ({ raw: '', then: 'close' })

/**
 * Hook for the moment `body` that closes the SMTP connection after `bytes` bytes of a message,
 * before the end of the message.
 */
export function closesAfter(bytes: number): SmtpHook {
  return (command) => (command.bytes >= bytes ? { raw: '', then: 'close' } : undefined)
}

/**
 * Hook that replies to an SMTP command with unchanged bytes, then ends the connection if requested.
 */
export function sendsRaw(raw: string | Uint8Array, then?: 'close' | 'reset'): SmtpHook {
  return () => defined({ raw, then })
}

/** Hook for MAIL and RCPT that rejects command lines which match the pattern. */
export function rejects(pattern: RegExp, line: string): SmtpHook {
  return (command) => (pattern.test(command.line) ? [line] : undefined)
}

/** Hook that replies to an SMTP command with several lines of the same code (RFC 5321 §4.2.1). */
export function verbose(...more: string[]): SmtpHook {
  return async (command) => {
    const lines = await command.defaultReply()
    const code = lines.at(-1)?.slice(0, 3) ?? '250'
    return [...more.map((text) => `${code}-${text}`), ...lines]
  }
}
