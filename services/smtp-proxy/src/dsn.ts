import type { DsnRequest } from '@posthorn/db'
import type { SMTPServerEnvelope } from 'smtp-server'

const words = { NEVER: 'never', SUCCESS: 'success', FAILURE: 'failure', DELAY: 'delay' } as const

/**
 * What a client asks to be told of the delivery (RFC 3461). A message has one request, where SMTP has one a recipient: all that is asked for any
 * of them is asked for all; `never` only where it is said of each. Undefined where nothing was asked for.
 */
export function dsnOf({
  dsn,
  rcptTo,
}: Pick<SMTPServerEnvelope, 'dsn' | 'rcptTo'>): DsnRequest | undefined {
  const notify = notifyOf(rcptTo.map((one) => one.dsn?.notify ?? []))
  const recipient = rcptTo.length === 1 ? originalOf(rcptTo[0]?.dsn?.orcpt) : undefined
  const asked = {
    ...(dsn?.ret ? { return: returnOf(dsn.ret) } : {}),
    ...(dsn?.envid ? { id: dsn.envid } : {}),
    ...(notify.length > 0 ? { notify } : {}),
    ...(recipient === undefined ? {} : { recipient }),
  }
  return Object.keys(asked).length > 0 ? { return: 'headers', ...asked } : undefined
}

function returnOf(ret: string): DsnRequest['return'] {
  return ret === 'FULL' ? 'full' : 'headers'
}

function notifyOf(asked: readonly (readonly string[])[]): NonNullable<DsnRequest['notify']> {
  const all = Object.entries(words).flatMap(([word, name]) =>
    word !== 'NEVER' && asked.some((list) => list.includes(word)) ? [name] : [],
  )
  if (all.length > 0) return all
  return asked.length > 0 && asked.every((list) => list.includes('NEVER')) ? ['never'] : []
}

/** `rfc822;name@domain`, the only kind that is passed on. */
function originalOf(orcpt: string | undefined): string | undefined {
  return /^rfc822;(.+)$/i.exec(orcpt ?? '')?.[1]
}
