import { setTimeout as delay } from 'node:timers/promises'
import type { SmtpHook } from './contract.ts'

/** Answers the first `count` times; then the server does. */
export function times(count: number, hook: SmtpHook): SmtpHook {
  let left = count
  return (command) => (left-- > 0 ? hook(command) : undefined)
}

/** Says these lines instead, such as `451-4.7.1 not now`, `451 4.7.1 later`. None: never says anything. */
export function replies(...lines: string[]): SmtpHook {
  return () => lines
}

/** Never answers, and does nothing of what was asked. */
export const hangs: SmtpHook = replies()

/** Does what was asked, and never says so. */
export const omitsReply: SmtpHook = async (command) => {
  await command.defaultReply()
  return []
}

/** Takes its time, then does what was asked. */
export function slow(ms: number): SmtpHook {
  return async () => {
    await delay(ms)
    return undefined
  }
}

/** Ends the connection without a word. */
export const closes: SmtpHook = () => ({ raw: '', then: 'close' })

/** Breaks the connection (RST). */
export const resets: SmtpHook = () => ({ raw: '', then: 'reset' })

/** Ends the connection once so many bytes of a message have come in, before its dot; for the moment `body`. */
export function closesAfter(bytes: number): SmtpHook {
  return (command) => (command.bytes >= bytes ? { raw: '', then: 'close' } : undefined)
}

/** Sends bytes as they are, and does that to the connection. */
export function sendsRaw(raw: string | Uint8Array, then?: 'close' | 'reset'): SmtpHook {
  return () => (then === undefined ? { raw } : { raw, then })
}

/** Refuses addresses that match; for MAIL and RCPT. */
export function rejects(pattern: RegExp, line: string): SmtpHook {
  return (command) => (pattern.test(command.line) ? [line] : undefined)
}

/** Says what it would say, one line changed into many that end the same way (RFC 5321 §4.2.1). */
export function verbose(...more: string[]): SmtpHook {
  return async (command) => {
    const lines = await command.defaultReply()
    const code = lines.at(-1)?.slice(0, 3) ?? '250'
    return [...more.map((text) => `${code}-${text}`), ...lines]
  }
}
