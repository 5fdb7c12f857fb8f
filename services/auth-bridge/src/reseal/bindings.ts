import { destinationOf } from '@posthorn/contracts/schemas/destination'
import type { Binding } from '@posthorn/secrets'
import { tokenBindingOf } from '../bound-secrets.ts'
import type { SealedRow, SealedUse } from '../store/sealed-values.ts'
import { tokenServersOf } from '../store/token-servers.ts'

/**
 * Binding (limit of the use) for a secret that an earlier release encrypted without a binding. The
 * binding limits the secret to the current registration of its account, gateway or application.
 * Undefined if the secret has no registration.
 */
export function bindingOf({ key, use }: Pick<SealedRow, 'key' | 'use'>): Binding | undefined {
  if (use === null) return undefined
  const { gateway, account, app } = use
  if (gateway) return { to: destinationOf(gateway, { user: gateway.username ?? undefined }) }
  if (account) return accountBindingOf(account, app, key[1])
  return app ? { provider: tokenBindingOf(app).provider } : undefined
}

function accountBindingOf(
  account: NonNullable<SealedUse['account']>,
  app: SealedUse['app'],
  kind = 'tokens',
): Binding | undefined {
  if (kind === 'tokens' || kind === 'oauth2') {
    const servers = kind === 'oauth2' && { servers: tokenServersOf(account) }
    return app ? { ...tokenBindingOf(app), ...servers } : undefined
  }
  const server = kind === 'smtp' ? account.smtp : account.imap
  if (!server?.auth) return undefined
  return { to: destinationOf(server, { user: server.auth.user, proxy: account.proxy }) }
}
