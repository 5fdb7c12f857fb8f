import type { ImapFlow } from 'imapflow'
import type { Quota } from '../backend.ts'
import { execCommand } from './exec-command.ts'
import type { ImapConnection } from './connection.ts'
import { mailboxError } from './errors.ts'
import { type LineHandler, textOf, textsOf, type Token } from './tokens.ts'

/** More roots than this a mailbox does not sensibly have. */
const maxRoots = 8

/** RFC 9208. Of several roots the one with the least room left counts: it is the one that will be full. */
export async function quota(connection: ImapConnection): Promise<Quota | undefined> {
  return await connection.call(async (client) => {
    if (!hasQuota(client)) return undefined
    const roots = new Set<string>()
    const quotas: (Quota | undefined)[] = []
    const QUOTA: LineHandler = async ({ attributes: [, resources] = [] }) => {
      if (quotas.length < maxRoots) quotas.push(storageIn(resources))
    }
    const QUOTAROOT: LineHandler = async ({ attributes = [] }) => {
      for (const root of attributes.slice(1)) {
        const name = textOf(root)
        if (name !== undefined && roots.size < maxRoots) roots.add(name)
      }
    }
    try {
      await execCommand(connection, ['GETQUOTAROOT', 'INBOX'], { QUOTA, QUOTAROOT })
      // Some name the roots and leave it at that. A root may be told of without any resource: then it has no limit.
      if (quotas.length === 0)
        for (const root of roots) await execCommand(connection, ['GETQUOTA', root], { QUOTA })
    } catch (error) {
      throw mailboxError(error)
    }
    const limited = quotas.filter((quota) => quota !== undefined)
    return limited.toSorted((a, b) => a.limit - a.usage - (b.limit - b.usage))[0]
  })
}

function hasQuota({ capabilities }: ImapFlow): boolean {
  return (
    capabilities.has('QUOTA') ||
    [...capabilities.keys()].some((name) => name.toUpperCase().startsWith('QUOTA=RES-'))
  )
}

function storageIn(resources: Token | undefined): Quota | undefined {
  const items = textsOf(resources)
  for (let at = 0; at + 2 < items.length; at += 3) {
    if (items[at]?.toUpperCase() !== 'STORAGE') continue
    const usage = bytesOf(items[at + 1])
    const limit = bytesOf(items[at + 2])
    return usage === undefined || limit === undefined ? undefined : { usage, limit }
  }
  return undefined
}

/** Units of 1,024 bytes, in up to 63 bits; "no limit at all" is often written as the largest of them. */
function bytesOf(text = ''): number | undefined {
  if (!/^\d{1,20}$/.test(text)) return undefined
  const bytes = BigInt(text) * 1024n
  return bytes > Number.MAX_SAFE_INTEGER ? Number.MAX_SAFE_INTEGER : Number(bytes)
}
