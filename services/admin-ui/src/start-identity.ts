import { addressOf } from '@posthorn/access'
import { defined } from '@posthorn/contracts/defined'
import type { Bootstrapped } from '@posthorn/service/bootstrap'
import type { Router } from 'express'
import type { AuditLog } from './audit/audit-log.ts'
import type { Config } from './config.ts'
import { mountIdentity } from './endpoints/mount-identity.ts'
import { mountOidc } from './endpoints/oidc.ts'
import { mountPasskeySignIn } from './endpoints/passkey-sign-in.ts'
import { mountPasskeys } from './endpoints/passkeys.ts'
import { mountTotp } from './endpoints/totp.ts'
import { OneTimeCodes } from './factors/one-time-codes.ts'
import { Passkeys } from './factors/passkeys.ts'
import { createIdentity, type Identity, type SignInOffers } from './identity/create-identity.ts'
import { ensureSetUpLink } from './identity/set-up-link.ts'
import { OidcClient } from './oidc/client.ts'
import type { OidcConfig } from './oidc/oidc-config.ts'

export interface IdentityParts {
  context: Pick<Bootstrapped, 'db' | 'bus' | 'log' | 'metrics' | 'port'>
  config: Config
  audit: AuditLog
  routes: Router
}

/**
 * Creates the set-up link of a new installation and mounts the endpoints for sign-ins, sessions and
 * people.
 */
export async function startIdentity(
  stack: AsyncDisposableStack,
  { context, config, audit, routes }: IdentityParts,
): Promise<Identity> {
  const { db, log, port } = context
  const { adminUrl, oidc, setupToken, trustedProxies } = config
  const codes = new OneTimeCodes(context)
  const identity = createIdentity(stack, {
    ...context,
    audit,
    addressOf: (request) => addressOf(request, trustedProxies),
    checkOneTimeCode: (person, code) => codes.check(person, code),
    offers: offersOf(oidc),
  })
  const origin = adminUrl ?? `http://localhost:${port}`
  const print = (text: string) => {
    process.stderr.write(text)
    log.info({ setUpLink: 'printed to stderr' }, 'first owner is missing')
  }
  await ensureSetUpLink(db, { setupToken, origin, print })
  mountIdentity(routes, { identity, adminUrl })
  mountTotp(routes, { identity, codes })
  const passkeys = { identity, passkeys: new Passkeys(context), adminUrl }
  mountPasskeys(routes, passkeys)
  mountPasskeySignIn(routes, passkeys)
  if (oidc)
    mountOidc(routes, { identity, config: oidc, client: new OidcClient(oidc), adminUrl, log })
  return identity
}

/** Ways to sign in besides passkeys. The OpenID provider is shown by its host name. */
function offersOf(oidc: OidcConfig | undefined): SignInOffers {
  if (!oidc) return { passwords: true }
  const { issuer, only, logoutUrl: logout } = oidc
  return { passwords: !only, oidc: defined({ name: new URL(issuer).hostname, logout }) }
}
