import { on } from '@posthorn/bus'
import { unsealLogin, type ServiceName, type SettingKey } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { type Unsealer, unsealLogin as open } from '@posthorn/secrets'
import { isStored } from '../store/addresses.ts'

/** Where the addresses are that a service connects to. The webhook-dispatcher is not here: those that its database role can read are its own. */
const readers: Partial<
  Record<ServiceName, { settings: readonly SettingKey[]; ofAccounts: boolean }>
> = {
  'api-gateway': { settings: ['httpProxyUrl'], ofAccounts: false },
  'sync-worker': { settings: ['proxyUrl', 'httpProxyUrl', 'openAiAPIUrl'], ofAccounts: true },
  sender: { settings: ['proxyUrl'], ofAccounts: true },
  'imap-proxy': { settings: ['proxyUrl'], ofAccounts: true },
}

/** Answers with an address whose login is in the clear, to a service that connects to such an address. */
export function onOpenLogin({ db, opener }: { db: Db; opener: Unsealer }) {
  return on(unsealLogin, async ({ address }, { requester: asker }) => {
    await assertReads(db, asker, address)
    return { address: await open(address, opener) }
  })
}

/** @throws AppError `unavailable`: it may have been changed since the asker has read it, which reads it again then */
async function assertReads(db: Db, asker: ServiceName | undefined, address: string): Promise<void> {
  const reader = asker && readers[asker]
  if (reader && !(await isStored(db, address, reader)))
    throw new AppError('unavailable', 'Whoever asks does not connect to this address now')
}
