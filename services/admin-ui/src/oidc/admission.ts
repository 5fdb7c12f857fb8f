import type { AdminRole } from '@posthorn/contracts/admin/role-names'
import { adminRoles } from '@posthorn/contracts/admin/role-names'
import type { Claims } from './client.ts'
import type { OidcConfig } from './oidc-config.ts'

/** Person as the OpenID provider describes them. */
export interface OidcPerson {
  /** Issuer and subject, which together identify the person for good. */
  subject: string
  /** Email address in lower case. Undefined unless the provider has verified it. */
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
 * True if a person is admitted by email address, its domain or a group. Without any rule, only
 * people who exist are admitted: `isKnown`.
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
 * Highest role of a person's groups. Without roles by group, the current role; new people are
 * auditors, as are people whose groups have no role.
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
