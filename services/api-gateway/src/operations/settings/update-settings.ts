import type { Bus } from '@posthorn/bus'
import { addressSettings, operations, settingDefaults, type SettingKey } from '@posthorn/contracts'
import { type Db, readSettings, type SettingsCache, type Tx } from '@posthorn/db'
import { type Sealer, sealHeaders, sealLogin } from '@posthorn/secrets'
import type { BackgroundTasks } from '../../background-tasks.ts'
import {
  retainServiceSecret,
  settingSealContext,
  type SettingChange,
  writeSettings,
} from '../../store/settings.ts'
import { inTransaction } from '../../store/transaction.ts'
import { handle } from '../../http/route.ts'
import { type PlannedChange, planChanges } from './plan-changes.ts'
import { assertSettingsAllowed } from './privileged.ts'

export interface Deps {
  db: Db
  bus: Bus
  sealer: Sealer
  settings: SettingsCache
  tasks: BackgroundTasks
}

/** Changes settings, all or none; every process hears of it, or finds out by itself within seconds. */
export function onUpdateSettings({ db, bus, sealer, settings, tasks }: Deps) {
  const operation = operations.updateSettings
  return handle(operation, async ({ body, caller }) => {
    assertSettingsAllowed(caller, operation, Object.keys(body) as SettingKey[])
    const planned = planChanges(body, await readSettings(db))
    const changes = await sealChanges(planned, sealer)
    await inTransaction(db, async (tx) => {
      await keepReplacedSecret(tx, changes)
      await writeSettings(tx, changes)
    })
    settings.invalidate()
    tasks.run(bus.invalidate({ topic: 'settings' }))
    return { updated: changes.map(({ key }) => key) }
  })
}

/** Receivers get the time to learn the new service secret: the one it replaces goes on signing beside it. */
async function keepReplacedSecret(tx: Tx, changes: readonly SettingChange[]): Promise<void> {
  if (!changes.some(({ key }) => key === 'serviceSecret')) return
  const given = changes.find(({ key }) => key === 'serviceSecretOverlap')
  const stored = given ? settingDefaults : await readSettings(tx)
  const seconds = given && 'value' in given ? given.value : stored.serviceSecretOverlap
  await retainServiceSecret(tx, Number(seconds))
}

const addresses = new Set<string>(addressSettings)

/** Seals the secrets among the changes, each for its own place, the logins in addresses, and the values of headers. */
export function sealChanges(
  planned: readonly PlannedChange[],
  sealer: Sealer,
): Promise<SettingChange[]> {
  return Promise.all(planned.map((change) => sealChange(change, sealer)))
}

async function sealChange(change: PlannedChange, sealer: Sealer): Promise<SettingChange> {
  if ('seal' in change) {
    const sealed = await sealer.seal(change.seal, settingSealContext(change.key))
    return { ...('value' in change ? { value: change.value } : {}), key: change.key, sealed }
  }
  if ('headers' in change)
    return { key: change.key, value: await sealHeaders(change.headers, 'settings', sealer) }
  if (!('value' in change) || typeof change.value !== 'string' || !addresses.has(change.key))
    return change
  return { key: change.key, value: await sealLogin(change.value, sealer) }
}
