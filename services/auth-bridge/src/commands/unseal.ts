import { on } from '@posthorn/bus'
import { unsealHeader, unsealLogin } from '@posthorn/contracts/commands/credentials'
import type { ServiceName } from '@posthorn/contracts/services'
import type { SettingKey } from '@posthorn/contracts/settings/settings'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import {
  type Unsealer,
  unsealHeader as unsealHeaderValue,
  unsealLogin as unsealAddress,
} from '@posthorn/secrets'
import { isAddressStored } from '../store/entitlements.ts'

/**
 * Stored addresses that each service connects to, such as proxy URLs. webhook-dispatcher has no
 * entry, because its database role already limits the addresses that it can read.
 */
const readableAddresses: Partial<
  Record<ServiceName, { settings: readonly SettingKey[]; ofAccounts: boolean }>
> = {
  'api-gateway': { settings: ['httpProxyUrl'], ofAccounts: false },
  'sync-worker': { settings: ['proxyUrl', 'httpProxyUrl', 'openAiAPIUrl'], ofAccounts: true },
  sender: { settings: ['proxyUrl'], ofAccounts: true },
  'imap-proxy': { settings: ['proxyUrl'], ofAccounts: true },
}

/**
 * Returns a stored address with its login in plaintext. The requester must be a service that
 * connects to the address.
 */
export function onUnsealLogin({ db, unsealer }: { db: Db; unsealer: Unsealer }) {
  return on(unsealLogin, async ({ address }, { requester }) => {
    await assertEntitledToAddress(db, requester, address)
    return { address: await unsealAddress(address, unsealer) }
  })
}

/**
 * Checks that the requesting service connects to a stored address.
 *
 * @throws AppError `unavailable`, because the address may have changed since the service read it
 */
async function assertEntitledToAddress(
  db: Db,
  requester: ServiceName | undefined,
  address: string,
): Promise<void> {
  const readable = requester && readableAddresses[requester]
  if (readable && !(await isAddressStored(db, address, readable)))
    throw new AppError('unavailable', 'Requester does not connect to this address')
}

/**
 * Returns a webhook header value in plaintext. The value can be decrypted only for the owner for
 * which it was sealed (encrypted).
 */
export function onUnsealHeader({ unsealer }: { unsealer: Unsealer }) {
  return on(unsealHeader, async (header) => ({ value: await unsealHeaderValue(header, unsealer) }))
}
