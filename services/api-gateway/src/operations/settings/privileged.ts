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

/** What is answered to whoever names no settings: for a token with a permissions record not the privileged ones. */
export function readableSettings({ token }: Caller): SettingKey[] {
  return settingKeys.filter((key) => !token?.permissions || !privileged.has(key))
}

/**
 * What a token with a permissions record may do to settings: nothing to the privileged ones, by which one could read mail or get at
 * more access; to the others what its actions say, unless the record is limited to groups, none of which are settings.
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
