import { checkToken, listTokens } from '@posthorn/access'
import type { Entitlement } from '@posthorn/contracts/commands/credentials'
import type { ExportStatus } from '@posthorn/contracts/schemas/export'
import type { ServiceName } from '@posthorn/contracts/services'
import { type Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { hashToken, sameSecret } from '@posthorn/secrets'
import type { Protocol } from '../store/credentials.ts'
import { findShardHolder, isCleaningUp, isLeased } from '../store/entitlements.ts'
import { findSealedSetting } from '../store/settings.ts'

// A service can request only the credentials of the accounts that it holds at this time. An
// attacker who controls one process would have to take over the work of other processes to get
// further credentials, which operators can see.

interface CredentialRequest {
  account: string
  protocol: Protocol
  entitlement: Entitlement | undefined
}

/**
 * Checks that the service that requests credentials holds the account. There is no check without a
 * known requester, if all services share one RabbitMQ user.
 *
 * @throws AppError `unavailable`, because the requester may hold the account again later
 */
export async function assertEntitled(
  db: Db,
  requester: ServiceName | undefined,
  request: CredentialRequest,
): Promise<void> {
  if (requester !== undefined && !(await isEntitled(db, requester, request))) throw notEntitled()
}

/**
 * Checks that the sender that requests the credentials of a gateway (shared SMTP server) has leased
 * a message that is sent by this gateway. See `assertEntitled`.
 */
export async function assertEntitledToGateway(
  db: Db,
  requester: ServiceName | undefined,
  { gateway, entitlement }: { gateway: string; entitlement: Entitlement | undefined },
): Promise<void> {
  if (requester === undefined) return
  const { queueId } = entitlement ?? {}
  if (
    requester !== 'sender' ||
    queueId === undefined ||
    !(await isLeased(db, queueId, { gateway }))
  )
    throw notEntitled()
}

interface ExportRequest {
  account: string
  status: ExportStatus
  entitlement: Entitlement | undefined
}

/**
 * Checks that the service that requests the key of an export works on the export: the sync-worker
 * that holds the account's shard (group of accounts), or api-gateway, which downloads completed
 * exports. See `assertEntitled`.
 */
export async function assertEntitledToExport(
  db: Db,
  requester: ServiceName | undefined,
  { account, status, entitlement: { worker } = {} }: ExportRequest,
): Promise<void> {
  if (requester === undefined) return
  if (requester === 'api-gateway' && status === 'completed') return
  const isHolder = requester === 'sync-worker' && worker && (await holdsShard(db, account, worker))
  if (!isHolder) throw notEntitled()
}

/** Protocols for which each service may request credentials. */
const protocols: Partial<Record<ServiceName, readonly Protocol[]>> = {
  'sync-worker': ['imap', 'api'],
  sender: ['smtp', 'api'],
  'imap-proxy': ['imap'],
}

async function isEntitled(
  db: Db,
  requester: ServiceName,
  { account, protocol, entitlement = {} }: CredentialRequest,
): Promise<boolean> {
  const { worker, queueId, token } = entitlement
  if (!protocols[requester]?.includes(protocol)) return false
  if (requester === 'sender')
    return queueId !== undefined && holdsSubmission(db, { account, protocol, queueId })
  if (requester === 'sync-worker') return worker !== undefined && holdsShard(db, account, worker)
  return token === undefined
    ? (await findSealedSetting(db, 'imapProxyServerPassword')) !== undefined
    : isTokenUsable(db, account, token)
}

/**
 * True if a sender may use the account for a submission: the sender has leased the submission, or
 * removes the drafts of a finished submission at a mail API.
 */
async function holdsSubmission(
  db: Db,
  { account, protocol, queueId }: { account: string; protocol: Protocol; queueId: string },
): Promise<boolean> {
  if (await isLeased(db, queueId, { account })) return true
  return protocol === 'api' && isCleaningUp(db, queueId, account)
}

async function holdsShard(
  db: Db,
  account: string,
  { id, proof }: NonNullable<Entitlement['worker']>,
): Promise<boolean> {
  const holder = await findShardHolder(db, account)
  return holder?.id === id && sameSecret(holder.proof ?? '', hashToken(proof))
}

/**
 * True if an access token permits imap-proxy to log in to the account. Address restrictions of the
 * token are not checked, because imap-proxy checks them with the address of its client.
 */
async function isTokenUsable(db: Db, account: string, token: string): Promise<boolean> {
  const [row] = await listTokens(db, [token])
  if (!row) return false
  const use = { scope: 'imap-proxy', account, address: '' } as const
  return checkToken({ ...row, restrictions: null }, use) === undefined
}

function notEntitled(): AppError {
  return new AppError('unavailable', 'Requester does not hold this account')
}
