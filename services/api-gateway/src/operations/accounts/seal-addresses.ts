import { type Sealer, sealLogin } from '@posthorn/secrets'

interface Addresses {
  webhooks?: string | null
  proxy?: string | null
}

/** Seals the logins in the addresses of an account; what is not given or sealed already stays. */
export async function sealAddresses<T extends Addresses>(given: T, sealer: Sealer): Promise<T> {
  const { webhooks, proxy } = given
  return {
    ...given,
    ...(webhooks ? { webhooks: await sealLogin(webhooks, sealer) } : {}),
    ...(proxy ? { proxy: await sealLogin(proxy, sealer) } : {}),
  }
}
