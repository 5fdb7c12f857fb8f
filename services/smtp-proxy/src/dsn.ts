import { defined } from '@posthorn/contracts/defined'
import type { DsnRequest } from '@posthorn/db'
import type { SMTPServerEnvelope } from 'smtp-server'

const words = { NEVER: 'never', SUCCESS: 'success', FAILURE: 'failure', DELAY: 'delay' } as const

/**
 * Merges the DSN parameters (requests for delivery reports, RFC 3461) of the recipients into one
 * request per message. The request has every option of any recipient, and `never` only if all
 * recipients have `never`. Undefined if there are no parameters.
 */
export function toDsnRequest({
  dsn,
  rcptTo,
}: Pick<SMTPServerEnvelope, 'dsn' | 'rcptTo'>): DsnRequest | undefined {
  const notify = mergeNotify(rcptTo.map((recipient) => recipient.dsn?.notify ?? []))
  const request = defined({
    return: dsn?.ret ? toReturn(dsn.ret) : undefined,
    id: dsn?.envid || undefined,
    notify: notify.length > 0 ? notify : undefined,
    recipient: rcptTo.length === 1 ? originalAddress(rcptTo[0]?.dsn?.orcpt) : undefined,
  })
  return Object.keys(request).length > 0 ? { return: 'headers', ...request } : undefined
}

function toReturn(ret: string): DsnRequest['return'] {
  return ret === 'FULL' ? 'full' : 'headers'
}

function mergeNotify(lists: readonly (readonly string[])[]): NonNullable<DsnRequest['notify']> {
  const all = Object.entries(words).flatMap(([word, name]) =>
    word !== 'NEVER' && lists.some((list) => list.includes(word)) ? [name] : [],
  )
  if (all.length > 0) return all
  return lists.length > 0 && lists.every((list) => list.includes('NEVER')) ? ['never'] : []
}

/**
 * Address of the DSN parameter ORCPT: `rfc822;name@domain`. Other address types are not passed on.
 */
function originalAddress(orcpt: string | undefined): string | undefined {
  return /^rfc822;(.+)$/i.exec(orcpt ?? '')?.[1]
}
