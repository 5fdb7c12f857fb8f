import type { AdminRole } from '@posthorn/contracts/admin/role-names'
import { adminRoles } from '@posthorn/contracts/admin/role-names'
import type { Claims } from './client.ts'
import type { OidcConfig } from './oidc-config.ts'

/** Person as the OpenID provider describes them. */
export interface OidcPerson {
  /** Issuer and subject of the ID token, which together identify the person permanently. */
  subject: string
  /**
   * Email address of the person in lower case. Undefined unless the OpenID provider has verified
   * it.
   */
  email: string | undefined
  name: string | undefined
  groups: readonly string[]
}

type AdmissionRules = Pick<OidcConfig, 'users' | 'groups' | 'roles'>

export function readClaims(
  claims: Claims,
  { issuer, groupsClaim }: Pick<OidcConfig, 'issuer' | 'groupsClaim'>,
): OidcPerson {
  const { sub, email, email_verified: isVerified, name } = claims
  const groups = claims[groupsClaim]
  return {
    subject: `${issuer} ${sub}`,
    email: isVerified === true && typeof email === 'string' ? email.toLowerCase() : undefined,
    name: typeof name === 'string' && name.trim() !== '' ? name.trim().slice(0, 100) : undefined,
    groups: (Array.isArray(groups) ? groups : [groups]).filter(
      (group) => typeof group === 'string',
    ),
  }
}

/**
 * True if the OpenID configuration admits a person by email address, its domain or a group. Without
 * any rule, only people who exist in admin-ui (`isKnown`) are admitted.
 */
export function isAdmitted(
  { email, groups }: Pick<OidcPerson, 'email' | 'groups'>,
  rules: AdmissionRules,
  isKnown: boolean,
): boolean {
  if (rules.users.length === 0 && rules.groups.length === 0) return isKnown
  if (groups.some((group) => rules.groups.includes(group))) return true
  if (email === undefined) return false
  const domain = email.slice(email.lastIndexOf('@') + 1)
  return rules.users.some((user) => user === email || user.replace(/^@/, '') === domain)
}

/**
 * Highest role that the groups of a person give. Without a configured role of any group, a person
 * keeps the current role, and new people are auditors. People whose groups have no role are
 * auditors.
 */
export function roleOf(
  groups: readonly string[],
  { roles }: Pick<OidcConfig, 'roles'>,
  current?: AdminRole,
): AdminRole {
  if (roles.size === 0) return current ?? 'auditor'
  const granted = groups.map((group) => roles.get(group))
  return adminRoles.find((role) => granted.includes(role)) ?? 'auditor'
}
