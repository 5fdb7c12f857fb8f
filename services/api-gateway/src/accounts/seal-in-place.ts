import type { AccountRegistration } from '@posthorn/contracts'
import { type Sealer, sealHeaders, sealLogin } from '@posthorn/secrets'
import type { AccountColumns } from '../store/accounts.ts'
import { sealHeaderColumn } from '../http/seal-headers.ts'

interface Sealing {
  account: string
  sealer: Sealer
}

/** Seals the logins in the addresses of an account and the values of its headers; what is not given or sealed already stays. */
export async function sealColumns(
  columns: AccountColumns,
  { account, sealer }: Sealing,
): Promise<AccountColumns> {
  const { webhooksCustomHeaders: headers } = columns
  return {
    ...(await sealAddresses(columns, sealer)),
    ...(headers
      ? { webhooksCustomHeaders: await sealHeaderColumn(headers, `account/${account}`, sealer) }
      : {}),
  }
}

/** The same for a registration that is to wait. */
export async function sealRegistration<T extends Omit<AccountRegistration, 'account'>>(
  registration: T,
  { account, sealer }: Sealing,
): Promise<T> {
  const headers = registration.webhooksCustomHeaders?.map(({ key, value = '' }) => ({ key, value }))
  return {
    ...(await sealAddresses(registration, sealer)),
    ...(headers
      ? { webhooksCustomHeaders: await sealHeaders(headers, `account/${account}`, sealer) }
      : {}),
  }
}

interface Addresses {
  webhooks?: string | null
  proxy?: string | null
}

async function sealAddresses<T extends Addresses>(given: T, sealer: Sealer): Promise<T> {
  const { webhooks, proxy } = given
  return {
    ...given,
    ...(webhooks ? { webhooks: await sealLogin(webhooks, sealer) } : {}),
    ...(proxy ? { proxy: await sealLogin(proxy, sealer) } : {}),
  }
}
