import {
  type Operation,
  privilegedSettings,
  type SettingKey,
  settingKeys,
} from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import { refusedPermission } from '../../access/admit.ts'
import type { Caller } from '../../access/token.ts'

const privileged = new Set<string>(privilegedSettings)

/** Settings of a request without a query. A token with permissions reads no privileged ones. */
export function readableSettings({ token }: Caller): SettingKey[] {
  return settingKeys.filter((key) => !token?.permissions || !privileged.has(key))
}

/**
 * Authorizes a token with permissions: no privileged settings, which would give access to mail or
 * wider permissions; others by its actions. Settings belong to no group, so groups exclude them.
 *
 * @throws AppError `forbidden`
 */
export function assertSettingsAllowed(
  { token }: Caller,
  operation: Operation,
  keys: readonly SettingKey[],
): void {
  if (!token?.permissions) return
  const { action } = operation.permission
  const refused = keys.filter((key) => privileged.has(key))
  if (refused.length > 0) {
    const verb = action === 'read' ? 'read' : 'change'
    throw new AppError(
      'forbidden',
      `A token with restricted permissions can not ${verb} ${refused.join(', ')}`,
    )
  }
  const { actions, groups } = token.permissions
  if (groups !== undefined || !actions?.includes(action)) throw refusedPermission(operation)
}
