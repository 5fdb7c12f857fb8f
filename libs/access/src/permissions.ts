import type { Action, Group } from '@posthorn/contracts/define'

/**
 * Permission for an action on a group of API operations. Action and group have the names of the
 * permissions record of an access token.
 */
export interface RequiredPermission {
  action: Action
  group: Group
}

/**
 * True if the permissions record of an access token permits an action on a group of API operations.
 * If the token has no record (null or undefined), everything is permitted. A record without both
 * lists, or a malformed record, permits nothing. The group `admin` is never permitted by a record.
 */
export function permits(record: unknown, { action, group }: RequiredPermission): boolean {
  if (record === null || record === undefined) return true
  if (typeof record !== 'object' || group === 'admin') return false
  const { actions, groups } = record as { actions?: unknown; groups?: unknown }
  if (actions === undefined && groups === undefined) return false
  return listPermits(actions, action) && listPermits(groups, group)
}

/**
 * True if a list of actions or groups in a permissions record permits a name. An absent list
 * permits every name; a value that is no array permits no name.
 */
function listPermits(list: unknown, word: string): boolean {
  return list === undefined || (Array.isArray(list) && list.includes(word))
}

/**
 * True if an access token has the given scope. The operator scope `*` includes all other scopes.
 */
export function hasScope({ scopes }: { scopes: readonly string[] }, scope: string): boolean {
  return scopes.includes(scope) || scopes.includes('*')
}

/** True if an access token has reached the end of its lifetime. */
export function isExpired(
  { expiresAt }: { expiresAt?: Date | null },
  now: number = Date.now(),
): boolean {
  return expiresAt instanceof Date && expiresAt.getTime() <= now
}
