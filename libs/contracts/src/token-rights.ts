import type { Action, Group, Operation } from './define.ts'

/** Actions that the permissions record of an access token can name. */
export const permissionActions = [
  'read',
  'write',
  'send',
  'destructive',
] as const satisfies readonly Action[]

/** Groups of API operations that the permissions record of an access token can name. */
export const permissionGroups = [
  'account',
  'mailbox',
  'message',
  'submit',
  'outbox',
  'export',
  'template',
  'blocklist',
  'webhook',
  'gateway',
  'events',
  'diagnostics',
  'logs',
] as const satisfies readonly Group[]

/**
 * Permission for an action on a group of API operations. Action and group have the names of the
 * permissions record of an access token.
 */
export interface RequiredPermission {
  action: Action
  group: Group
}

/** Rights of an access token, as far as they decide which operations the token may call. */
export interface TokenRights {
  scopes: readonly string[]
  /** Id of the account to which the access token is bound. Null: all accounts. */
  account: string | null
  /** Permissions record of the access token, validated or not. Null: everything is permitted. */
  permissions: unknown
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
 * True if the permissions record of an access token permits requests of an API operation. For an
 * operation on settings, true if the record permits some settings: records that name the action
 * `read` and no groups permit reading the settings that are not privileged.
 */
export function permitsOperation(
  record: unknown,
  { permission }: Pick<Operation, 'permission'>,
): boolean {
  if (permission.byKey !== true || record === null || record === undefined)
    return permits(record, permission)
  const { actions, groups } = record as { actions?: unknown; groups?: unknown }
  const isNamed = Array.isArray(actions) && actions.includes(permission.action)
  return permission.action === 'read' && isNamed && groups === undefined
}

/**
 * True if an access token has the given scope. The operator scope `*` includes all other scopes.
 */
export function hasScope({ scopes }: Pick<TokenRights, 'scopes'>, scope: string): boolean {
  return scopes.includes(scope) || scopes.includes('*')
}

/**
 * Source of the account id with which an access token that is bound to an account is authorized for
 * an API operation: a parameter of the path or the query. `handler`: the handler of the operation
 * checks the account. Undefined for operations that name no account, which reject bound tokens.
 */
export function accountSource({
  boundBy,
  path,
}: Pick<Operation, 'boundBy' | 'path'>): 'path' | 'query' | 'handler' | undefined {
  return boundBy ?? (/\/:account(?:\/|$)/.test(path) ? 'path' : undefined)
}

/**
 * True if scopes, permissions and account of an access token permit requests of an API operation.
 * Single requests can be refused nevertheless: for another account, or a privileged setting.
 */
export function mayCallOperation(
  token: TokenRights,
  operation: Pick<Operation, 'scope' | 'permission' | 'boundBy' | 'path'>,
): boolean {
  return (
    hasScope(token, operation.scope) &&
    permitsOperation(token.permissions, operation) &&
    (token.account === null || accountSource(operation) !== undefined)
  )
}

/**
 * Permissions that a mail client can exercise once logged in at a mail proxy, by the scope of its
 * access token. A token with the scope must have all of these permissions.
 */
const proxyPermissions = {
  smtp: [{ group: 'submit', action: 'send' }],
  'imap-proxy': [
    { group: 'message', action: 'read' },
    { group: 'message', action: 'write' },
    { group: 'message', action: 'destructive' },
    { group: 'mailbox', action: 'write' },
    { group: 'mailbox', action: 'destructive' },
  ],
} as const satisfies Record<string, readonly RequiredPermission[]>

/** Scope of access tokens with which mail clients log in at a mail proxy. */
export type ProxyScope = keyof typeof proxyPermissions

/** True if the permissions record of an access token permits the use of a mail proxy. */
export function permitsProxy(record: unknown, scope: ProxyScope): boolean {
  return proxyPermissions[scope].every((permission) => permits(record, permission))
}
