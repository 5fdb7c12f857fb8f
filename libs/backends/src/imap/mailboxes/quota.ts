import type { ImapFlow } from 'imapflow'
import type { Quota } from '../../mail-session.ts'
import type { ImapConnection } from '../connection/connection.ts'
import { mailboxError } from '../connection/errors.ts'
import { type LineHandler, textOf, textsOf, type Token } from '../tokens.ts'

/**
 * Maximum number of quota roots of an IMAP account that are read to find the root with the least
 * free space.
 */
const maxRoots = 8

/**
 * Storage quota of an IMAP account (RFC 9208). If the account has several quota roots, the quota of
 * the root with the least free space.
 */
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
      await connection.wire.run('GETQUOTAROOT', ['INBOX'], { QUOTA, QUOTAROOT })
      // Requests the quotas of an IMAP account separately if the server returned only the names of
      // the quota roots. A quota root without resources has no limit.
      if (quotas.length === 0)
        for (const root of roots) await connection.wire.run('GETQUOTA', [root], { QUOTA })
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

/**
 * Converts a quota from units of 1,024 bytes (up to 63 bits) to bytes. Many servers send the
 * largest value if there is no limit.
 */
function bytesOf(text = ''): number | undefined {
  if (!/^\d{1,20}$/.test(text)) return undefined
  const bytes = BigInt(text) * 1024n
  return bytes > Number.MAX_SAFE_INTEGER ? Number.MAX_SAFE_INTEGER : Number(bytes)
}
