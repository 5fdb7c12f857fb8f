import type { Bus } from '@posthorn/bus'
import { operations, settingDefaults, type SettingKey } from '@posthorn/contracts'
import { type Db, readSettings, type SettingsCache, type Tx } from '@posthorn/db'
import type { Sealer } from '@posthorn/secrets'
import type { TaskGroup } from '@posthorn/flow'
import { handle } from '../../http/handle.ts'
import { retainServiceSecret, type SettingChange, writeSettings } from '../../store/settings.ts'
import { inTransaction } from '../../store/transaction.ts'
import { planChanges, sealChanges } from './setting-changes.ts'
import { assertSettingsAllowed } from './setting-permissions.ts'

export interface UpdateSettingsDeps {
  db: Db
  bus: Bus
  sealer: Sealer
  settings: SettingsCache
  tasks: TaskGroup
}

/** Changes all settings of a request, or none. Processes see it by broadcast or cache expiry. */
export function onUpdateSettings({ db, bus, sealer, settings, tasks }: UpdateSettingsDeps) {
  const operation = operations.updateSettings
  return handle(operation, async ({ body, caller }) => {
    assertSettingsAllowed(caller, operation, Object.keys(body) as SettingKey[])
    const planned = planChanges(body, await readSettings(db))
    const changes = await sealChanges(planned, sealer)
    await inTransaction(db, async (tx) => {
      await retainReplacedSecret(tx, changes)
      await writeSettings(tx, changes)
    })
    settings.invalidate()
    tasks.run(bus.invalidate({ topic: 'settings' }))
    return { updated: changes.map(({ key }) => key) }
  })
}

/** A replaced service secret signs beside the new one, so that receivers have time to switch. */
async function retainReplacedSecret(tx: Tx, changes: readonly SettingChange[]): Promise<void> {
  if (!changes.some(({ key }) => key === 'serviceSecret')) return
  const overlap = changes.find(({ key }) => key === 'serviceSecretOverlap')
  const stored = overlap ? settingDefaults : await readSettings(tx)
  const seconds = overlap && 'value' in overlap ? overlap.value : stored.serviceSecretOverlap
  await retainServiceSecret(tx, Number(seconds))
}
