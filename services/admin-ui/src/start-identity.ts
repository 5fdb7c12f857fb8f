import { addressOf } from '@posthorn/access'
import type { Bootstrapped } from '@posthorn/service/bootstrap'
import type { Router } from 'express'
import type { AuditLog } from './audit/audit-log.ts'
import type { Config } from './config.ts'
import { mountIdentity } from './endpoints/mount-identity.ts'
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
  const identity = createIdentity(stack, {
    ...context,
    audit,
    addressOf: (request) => addressOf(request, trustedProxies),
    // No person has confirmed one-time codes: this installation offers none.
    checkOneTimeCode: () => Promise.resolve(false),
    offers: { passwords: true },
  })
  const origin = adminUrl ?? `http://localhost:${port}`
  const print = (text: string) => {
    process.stderr.write(text)
    log.info({ setUpLink: 'printed to stderr' }, 'first owner is missing')
  }
  await ensureSetUpLink(db, { setupToken, origin, print })
  mountIdentity(routes, { identity, adminUrl })
  return identity
}
