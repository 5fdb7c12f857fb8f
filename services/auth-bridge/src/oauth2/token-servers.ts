import { type Destination, permits } from '@posthorn/contracts/schemas/destination'
import type { SecretBinding } from '../bound-secrets.ts'
import { passwordSealContext } from '../store/credentials.ts'
import { findGrantTokens } from '../store/oauth2-grants.ts'
import { findTokenServers, replaceGrant } from '../store/token-servers.ts'
import { loadGrantApplication } from './application.ts'
import type { ResolvedGrant } from './grant.ts'
import type { OAuth2Deps } from './token-endpoint.ts'

/**
 * Checks that a mail server may receive the access token of an OAuth2 grant. Returns the server as
 * named in the sealed grant. A grant from a consent is bound to the mail servers of its account at
 * the first use of the grant. Undefined for service accounts, which have no grant, and for grants
 * of earlier releases, which name no servers.
 *
 * @throws AppError `rejected` if the token is for other servers
 */
export async function checkTokenServer(
  deps: OAuth2Deps,
  grant: ResolvedGrant,
  server: Destination,
): Promise<Destination | undefined> {
  const { secrets } = deps
  const { holder } = grant
  const { grant: sealed } = await findGrantTokens(deps.db, holder)
  if (sealed === undefined) return undefined
  const context = passwordSealContext(holder, 'oauth2')
  const app = await loadGrantApplication(deps, grant)
  const { value, binding } = await secrets.openTokens({ sealed, context }, app)
  if (binding.app === undefined) return undefined
  const servers = binding.servers ?? (await findTokenServers(deps.db, holder))
  if (!binding.servers) {
    const bound: SecretBinding = { ...binding, servers }
    const resealed = await deps.sealer.seal(value, context, { ...bound })
    await replaceGrant(deps.db, holder, { from: sealed, to: resealed })
  }
  const match = servers.find((one) => permits(one, withoutUser(server)))
  secrets.assertUse(context, { isBound: true, fits: match !== undefined })
  return match
}

function withoutUser({ user: _user, ...server }: Destination): Destination {
  return { ...server, user: '' }
}
