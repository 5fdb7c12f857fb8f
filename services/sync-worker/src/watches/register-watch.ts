import { randomBytes } from 'node:crypto'
import { type ApiWatch, isMailApiError, type MailApiWatches } from '@posthorn/backends/mail-api'
import { apiAccountTypes } from '@posthorn/contracts/account-types'
import type { ApiWatchRow } from '../store/api/watches.ts'
import { type AccountWatch, hashSecret } from './account-watch.ts'

/** Watch (registration for notifications) of an account as the provider has registered it. */
export interface RegisteredWatch extends ApiWatch {
  /**
   * Hash of the secret in the mail provider's notifications. Null if the notifications contain no
   * secret.
   */
  readonly hash: Buffer | null
  /**
   * True if the watch (registration for notifications) was created now, so that the provider sent
   * no notifications of earlier changes.
   */
  readonly isNew: boolean
}

export interface RegistrationOptions {
  readonly signal: AbortSignal
  readonly now: () => number
}

/**
 * Random bytes of the secret in mail providers' notifications, encoded in 43 characters. Microsoft
 * permits 128 characters.
 */
const secretBytes = 32

/**
 * Renews the watch (registration for notifications) of an account at the provider. Creates a watch
 * if the account has none, or if the watch was lost or has expired. Stops other watches of the
 * account, which a crash may have left.
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

/**
 * Stops all watches (registrations for notifications) of an account except the watch to renew.
 * Returns the watch to renew.
 */
async function stopOthers(
  { row, isLost }: AccountWatch,
  api: MailApiWatches,
  signal: AbortSignal,
): Promise<ApiWatchRow | undefined> {
  const current = row?.remoteId ? row : undefined
  // A provider that cannot list watches (registrations for notifications) has only one watch per
  // mailbox, which is the stored watch.
  const listed = (await api.listWatches(signal)) ?? (current ? [{ id: current.remoteId }] : [])
  const isKept = (id: string) => !isLost && id === current?.remoteId
  for (const { id } of listed) if (!isKept(id)) await api.stopWatch(id, signal)
  return listed.some(({ id }) => isKept(id)) ? current : undefined
}

/**
 * Renews a watch (registration for notifications) at the provider. Undefined if the provider no
 * longer has the watch.
 */
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
