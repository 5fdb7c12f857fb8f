import { addressOf } from '@posthorn/access'
import type { Bootstrapped } from '@posthorn/service/bootstrap'
import type { Router } from 'express'
import type { AuditLog } from './audit/audit-log.ts'
import type { Config } from './config.ts'
import { mountIdentity } from './endpoints/mount-identity.ts'
import { mountPasskeySignIn } from './endpoints/passkey-sign-in.ts'
import { mountPasskeys } from './endpoints/passkeys.ts'
import { mountTotp } from './endpoints/totp.ts'
import { OneTimeCodes } from './factors/one-time-codes.ts'
import { Passkeys } from './factors/passkeys.ts'
import { createIdentity, type Identity } from './identity/create-identity.ts'
import { ensureSetUpLink } from './identity/set-up-link.ts'

export interface IdentityParts {
  context: Pick<Bootstrapped, 'db' | 'bus' | 'log' | 'metrics' | 'port'>
  config: Config
  audit: AuditLog
  routes: Router
}

/** Creates the set-up link of a new installation and mounts sign-ins, sessions and people. */
export async function startIdentity(
  stack: AsyncDisposableStack,
  { context, config, audit, routes }: IdentityParts,
): Promise<Identity> {
  const { db, log, port } = context
  const { adminUrl, setupToken, trustedProxies } = config
  const codes = new OneTimeCodes(context)
  const identity = createIdentity(stack, {
    ...context,
    audit,
    addressOf: (request) => addressOf(request, trustedProxies),
    checkOneTimeCode: (person, code) => codes.check(person, code),
    offers: { passwords: true },
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
  return identity
}
