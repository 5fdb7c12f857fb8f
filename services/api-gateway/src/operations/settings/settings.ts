import type { Operation } from '@posthorn/contracts/define'
import { eventNames } from '@posthorn/contracts/events'
import { operations } from '@posthorn/contracts/operations'
import {
  addressSettings,
  privilegedSettings,
  secretSettings,
  settingDefaults,
  type SettingKey,
  settingKeys,
  type Settings,
} from '@posthorn/contracts/settings/settings'
import { permitsOperation } from '@posthorn/contracts/token-rights'
import { readSettings, type Tx } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { refusedPermission } from '../../access/authorize.ts'
import type { Caller } from '../../access/authenticate.ts'
import { handle, type OperationHandler } from '../../http/handle.ts'
import { maskHeaders, maskUrl } from '../../http/masks.ts'
import {
  listSealedSettings,
  retainServiceSecret,
  type SettingChange,
  writeSettings,
} from '../../store/installation/settings.ts'
import { inTransaction } from '../../store/transaction.ts'
import type { OperationDeps } from '../operation-deps.ts'
import { changedKeys, planChanges, sealChanges } from './setting-changes.ts'

const secret = new Set<string>(secretSettings)
const addresses = new Set<string>(addressSettings)
const privileged = new Set<string>(privilegedSettings)

type SettingsDeps = Pick<OperationDeps, 'db' | 'bus' | 'sealer' | 'settings' | 'tasks'>

/** API operations on the settings of the deployment. */
export function settingsHandlers(deps: SettingsDeps): OperationHandler[] {
  return [onGetSettings(deps), onUpdateSettings(deps)]
}

/**
 * Returns the settings that the query names; without a query, all readable settings. Unset settings
 * are null.
 */
function onGetSettings({ db }: SettingsDeps) {
  const operation = operations.getSettings
  return handle(operation, async ({ query, caller }) => {
    const keys =
      Object.keys(query).length === 0
        ? readableSettings(caller)
        : settingKeys.filter((key) => query[key])
    assertSettingsAllowed(caller, operation, keys)
    const [settings, sealed] = await Promise.all([readSettings(db), listSealedSettings(db)])
    const entries = keys.map((key): [string, unknown] => [
      key,
      secret.has(key) ? sealed.has(key) : describeSetting(settings, key),
    ])
    return {
      ...Object.fromEntries(entries),
      ...(query.eventTypes ? { eventTypes: eventNames } : {}),
    }
  })
}

/** Setting as the API represents it. Masks credentials in URLs and the values of headers. */
function describeSetting(settings: Settings, key: SettingKey): unknown {
  if (key === 'webhooksCustomHeaders')
    return settings[key]
      ? maskHeaders(settings[key].map(({ key, value = '' }) => ({ key, value })))
      : null
  const value = settings[key] ?? null
  return addresses.has(key) && typeof value === 'string' ? maskUrl(value) : value
}

/**
 * Changes all settings of a request, or none. Other processes use the changes after a broadcast, or
 * when their cache expires.
 */
function onUpdateSettings({ db, bus, sealer, settings, tasks }: SettingsDeps) {
  const operation = operations.updateSettings
  return handle(operation, async ({ body, caller }) => {
    assertSettingsAllowed(caller, operation, Object.keys(body) as SettingKey[])
    const [stored, sealed] = await Promise.all([readSettings(db), listSealedSettings(db)])
    const planned = planChanges(body, stored)
    const changes = await sealChanges(planned, sealer)
    await inTransaction(db, async (tx) => {
      await retainReplacedSecret(tx, changes)
      await writeSettings(tx, changes)
    })
    settings.invalidate()
    tasks.run(bus.invalidate({ topic: 'settings' }))
    return { updated: changedKeys(planned, stored, sealed) }
  })
}

/**
 * Keeps the previous service secret for a limited time. Webhooks are signed with both secrets
 * meanwhile, so that receivers have time to switch.
 */
async function retainReplacedSecret(tx: Tx, changes: readonly SettingChange[]): Promise<void> {
  if (!changes.some(({ key }) => key === 'serviceSecret')) return
  const overlap = changes.find(({ key }) => key === 'serviceSecretOverlap')
  const stored = overlap ? settingDefaults : await readSettings(tx)
  const seconds = overlap && 'value' in overlap ? overlap.value : stored.serviceSecretOverlap
  await retainServiceSecret(tx, Number(seconds))
}

/**
 * Keys of the settings that a request without a query reads. An access token with a permissions
 * record does not read privileged settings.
 */
function readableSettings({ token }: Caller): SettingKey[] {
  return settingKeys.filter((key) => !token?.permissions || !privileged.has(key))
}

/**
 * Checks that an access token with a permissions record may read or change settings. Settings
 * belong to the group `admin`, because they concern all accounts. No permissions record grants this
 * group, so the token cannot change settings. The token can read settings that are not privileged
 * if its record permits the action and has no list of groups.
 *
 * @throws AppError `forbidden`
 */
function assertSettingsAllowed(
  { token }: Caller,
  operation: Operation,
  keys: readonly SettingKey[],
): void {
  if (!token?.permissions) return
  const { action } = operation.permission
  const refused = action === 'read' ? keys.filter((key) => privileged.has(key)) : keys
  if (refused.length > 0) {
    const verb = action === 'read' ? 'read' : 'change'
    throw new AppError(
      'forbidden',
      `A token with restricted permissions can not ${verb} ${refused.join(', ')}`,
    )
  }
  if (!permitsOperation(token.permissions, operation)) throw refusedPermission(operation)
}
