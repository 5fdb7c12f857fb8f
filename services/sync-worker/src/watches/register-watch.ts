import { randomBytes } from 'node:crypto'
import { type ApiWatch, isMailApiError, type MailApiWatches } from '@posthorn/backends/mail-api'
import { apiAccountTypes } from '@posthorn/contracts/account-types'
import type { ApiWatchRow } from '../store/api/watches.ts'
import { type AccountWatch, hashSecret } from './account-watch.ts'

/** Watch of an account as registered at the provider. */
export interface RegisteredWatch extends ApiWatch {
  /** Hash of the secret in notifications. Null if the provider sends no secret. */
  readonly hash: Buffer | null
  /** True if the watch was created now: earlier changes of the mailbox were not announced. */
  readonly isNew: boolean
}

export interface RegistrationOptions {
  readonly signal: AbortSignal
  readonly now: () => number
}

/** Random bytes of a watch's secret: 43 characters, of the 128 that Microsoft permits. */
const secretBytes = 32

/**
 * Renews the watch of an account at the provider. Creates a watch if the account has none, or if
 * the watch was lost or has expired. Stops watches that a crash left at the provider.
 *
 * @throws MailApiError
 */
export async function registerWatch(
  watch: AccountWatch,
  api: MailApiWatches,
  { signal, now }: RegistrationOptions,
): Promise<RegisteredWatch> {
  const kept = await stopOthers(watch, api, signal)
  const renewed = kept && (await renew(api, kept.remoteId, signal))
  return kept && renewed
    ? { ...renewed, hash: kept.clientStateHash, isNew: false }
    : create(watch, api, { signal, now })
}

/** Stops all watches of an account except the watch to renew, which is returned. */
async function stopOthers(
  { row, isLost }: AccountWatch,
  api: MailApiWatches,
  signal: AbortSignal,
): Promise<ApiWatchRow | undefined> {
  const current = row?.remoteId ? row : undefined
  // A provider that lists no watches has one watch per mailbox.
  const listed = (await api.listWatches(signal)) ?? (current ? [{ id: current.remoteId }] : [])
  const isKept = (id: string) => !isLost && id === current?.remoteId
  for (const { id } of listed) if (!isKept(id)) await api.stopWatch(id, signal)
  return listed.some(({ id }) => isKept(id)) ? current : undefined
}

/** Renews a watch at the provider. Undefined if the watch does not exist any more. */
async function renew(
  api: MailApiWatches,
  id: string,
  signal: AbortSignal,
): Promise<ApiWatch | undefined> {
  try {
    return await api.renewWatch(id, signal)
  } catch (error) {
    if (isMailApiError(error, 'watch-missing')) return undefined
    throw error
  }
}

async function create(
  watch: AccountWatch,
  api: MailApiWatches,
  { signal, now }: RegistrationOptions,
): Promise<RegisteredWatch> {
  const secret = randomBytes(secretBytes).toString('base64url')
  const { authentication } = apiAccountTypes[watch.account.provider].notifications
  const hash = authentication === 'secret' ? hashSecret(secret) : null
  watch.pendingHash = hash ?? undefined
  watch.isCreating = true
  const listener = watch.startListening(now)
  return { ...(await api.watch(secret, signal, listener)), hash, isNew: true }
}
