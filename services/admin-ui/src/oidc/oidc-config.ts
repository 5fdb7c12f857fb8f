import { type AdminRole, adminRoles } from '@posthorn/contracts/admin/role-names'
import {
  boolean,
  ConfigError,
  type Env,
  list,
  optional,
  required,
  type Secret,
  secret,
  url,
} from '@posthorn/config'
import { isLoopback } from '@posthorn/net/addresses'

/** OpenID provider at which people sign in, and the people whom it admits. */
export interface OidcConfig {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: Secret
  /** OAuth2 scopes of sign-ins at the OpenID provider, separated by spaces. */
  readonly scopes: string
  /**
   * Email addresses and domains of people who may sign in at the OpenID provider, in lower case.
   */
  readonly users: readonly string[]
  /** Groups of the OpenID provider whose members are admitted, the groups of `roles` included. */
  readonly groups: readonly string[]
  /** Claim of the OpenID provider that lists the groups of a person. */
  readonly groupsClaim: string
  /** Role of each group of the OpenID provider. The highest role of a person's groups applies. */
  readonly roles: ReadonlyMap<string, AdminRole>
  /** True if people sign in at the OpenID provider only, without passwords. */
  readonly only: boolean
  /** Sign-out page of the OpenID provider, which browsers open after the sign-out from admin-ui. */
  readonly logoutUrl: string | undefined
}

/**
 * Reads the OpenID provider from the variables `SVC_ADMIN_OIDC_…`. Undefined without an issuer.
 *
 * @throws ConfigError for an incomplete or invalid variable
 */
export function readOidcConfig(env: Env): OidcConfig | undefined {
  if (optional(env, 'SVC_ADMIN_OIDC_ISSUER') === undefined) return undefined
  const clientSecret = secret(env, 'SVC_ADMIN_OIDC_CLIENT_SECRET')
  if (!clientSecret) throw new ConfigError('SVC_ADMIN_OIDC_CLIENT_SECRET', 'is required')
  const roles = readRoles(env)
  const logout = optional(env, 'SVC_ADMIN_OIDC_LOGOUT')
  return {
    issuer: readIssuer(env),
    clientId: required(env, 'SVC_ADMIN_OIDC_CLIENT_ID'),
    clientSecret,
    scopes: optional(env, 'SVC_ADMIN_OIDC_SCOPES') ?? 'openid email profile',
    users: (list(env, 'SVC_ADMIN_OIDC_USERS') ?? []).map((user) => user.toLowerCase()),
    groups: [...(list(env, 'SVC_ADMIN_OIDC_GROUPS') ?? []), ...roles.keys()],
    groupsClaim: optional(env, 'SVC_ADMIN_OIDC_GROUPS_CLAIM') ?? 'groups',
    roles,
    only: boolean(env, 'SVC_ADMIN_OIDC_ONLY', false),
    logoutUrl: logout && url(env, 'SVC_ADMIN_OIDC_LOGOUT', ['http:', 'https:']),
  }
}

function readIssuer(env: Env): string {
  const issuer = url(env, 'SVC_ADMIN_OIDC_ISSUER', ['http:', 'https:'])
  const { protocol, hostname } = new URL(issuer)
  if (protocol === 'http:' && hostname !== 'localhost' && !isLoopback(hostname))
    throw new ConfigError('SVC_ADMIN_OIDC_ISSUER', 'must begin with https://')
  return issuer
}

/** Reads the roles of the OpenID provider's groups from `group=role` pairs. */
function readRoles(env: Env): Map<string, AdminRole> {
  const name = 'SVC_ADMIN_OIDC_ROLES'
  return new Map(
    (list(env, name) ?? []).map((pair) => {
      const at = pair.lastIndexOf('=')
      const group = pair.slice(0, Math.max(at, 0)).trim()
      const role = adminRoles.find((candidate) => candidate === pair.slice(at + 1).trim())
      if (group === '' || role === undefined)
        throw new ConfigError(name, `must list group=role, with a role of ${adminRoles.join(', ')}`)
      return [group, role]
    }),
  )
}
