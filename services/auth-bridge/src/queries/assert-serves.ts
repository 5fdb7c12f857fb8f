import type { Entitlement, ServiceName } from '@posthorn/contracts'
import { listTokens, checkToken } from '@posthorn/access'
import { type Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { hashToken, sameSecret } from '@posthorn/secrets'
import type { Protocol } from '../store/credentials.ts'
import { findShardHolder, hasInHand, hasSealedSetting } from '../store/grounds.ts'

// Where the broker says which service asks, it gets the credentials of the accounts it serves at this moment, and no others. Whoever takes
// over one process gets no further than that process without taking work from others, which is seen.

interface Wish {
  account: string
  protocol: Protocol
  entitlement: Entitlement | undefined
}

/** @throws AppError `unavailable` where the asker does not serve the account now; it may have done so a moment ago, and may again. */
export async function assertServes(
  db: Db,
  asker: ServiceName | undefined,
  wish: Wish,
): Promise<void> {
  if (asker === undefined) return // all share a user of the broker: nobody can tell
  if (!(await serves(db, asker, wish))) throw notServed()
}

/** As above, for the login of a gateway: the message in hand goes out by it. */
export async function assertSendsBy(
  db: Db,
  asker: ServiceName | undefined,
  { gateway, entitlement }: { gateway: string; entitlement: Entitlement | undefined },
): Promise<void> {
  if (asker === undefined) return
  const { queueId } = entitlement ?? {}
  if (asker === 'sender' && queueId !== undefined && (await hasInHand(db, queueId, { gateway })))
    return
  throw notServed()
}

async function serves(
  db: Db,
  asker: ServiceName,
  { account, protocol, entitlement = {} }: Wish,
): Promise<boolean> {
  const { worker, queueId, token } = entitlement
  if (asker === 'sender')
    return protocol === 'smtp' && queueId !== undefined && hasInHand(db, queueId, { account })
  if (protocol !== 'imap') return false
  if (asker === 'sync-worker') return worker !== undefined && holdsShard(db, account, worker)
  if (asker !== 'imap-proxy') return false
  return token === undefined
    ? hasSealedSetting(db, 'imapProxyServerPassword')
    : opensMailbox(db, account, token)
}

async function holdsShard(
  db: Db,
  account: string,
  { id, proof }: NonNullable<Entitlement['worker']>,
): Promise<boolean> {
  const holder = await findShardHolder(db, account)
  return holder?.id === id && sameSecret(holder.proof ?? '', hashToken(proof))
}

/** Where the client comes from is the door's to check: it is the one that sees it. */
async function opensMailbox(db: Db, account: string, token: string): Promise<boolean> {
  const [row] = await listTokens(db, [token])
  if (!row) return false
  const use = { scope: 'imap-proxy', account, address: '' } as const
  return checkToken({ ...row, restrictions: null }, use) === undefined
}

function notServed(): AppError {
  return new AppError('unavailable', 'Whoever asks does not serve this account now')
}
