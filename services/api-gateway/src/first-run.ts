import { randomBytes } from 'node:crypto'
import { seededSettings, type SettingsUpdate } from '@posthorn/contracts'
import { type Db, readSettings, type Tx } from '@posthorn/db'
import { hashToken, newToken, type Sealer } from '@posthorn/secrets'
import type { Config } from './config.ts'
import { sealChanges } from './operations/settings/update-settings.ts'
import { type PlannedChange, planChanges } from './operations/settings/plan-changes.ts'
import { lockFirstRun } from './store/first-run.ts'
import { listSealedSettings, writeSettings } from './store/settings.ts'
import { hasTokens, insertToken } from './store/tokens.ts'

export interface FirstRunDeps {
  db: Db
  sealer: Sealer
  /** Hands the instance's first token to the operator. Called before it is stored. */
  writeFirstToken: (token: string) => Promise<void>
}

/**
 * Makes a fresh instance usable: seeds settings, makes the keys of webhook signatures and of links, and the first token; applies the settings
 * and the token that the environment brings, at every start. Replicas that start at once do it one after the other.
 */
export async function firstRun(
  { db, sealer, writeFirstToken: handOver }: FirstRunDeps,
  { settings, preparedToken }: Pick<Config, 'settings' | 'preparedToken'>,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await lockFirstRun(tx)
    const planned = [...(await seeds(tx)), ...(await given(tx, settings))]
    await writeSettings(tx, await sealChanges(planned, sealer))
    if (preparedToken) await prepare(tx, preparedToken.reveal())
    if (!(await hasTokens(tx))) await makeFirstToken(tx, handOver)
  })
}

/** What an instance starts with that has never run: one that has run has a service secret. */
async function seeds(tx: Tx): Promise<PlannedChange[]> {
  const sealed = await listSealedSettings(tx)
  const link: PlannedChange[] = sealed.has('linkSecret')
    ? []
    : [{ key: 'linkSecret', seal: randomBytes(32).toString('hex') }]
  if (sealed.has('serviceSecret')) return link
  return [
    ...link,
    { key: 'notifyText', value: seededSettings.notifyText },
    { key: 'notifyTextSize', value: seededSettings.notifyTextSize },
    { key: 'serviceSecret', seal: randomBytes(32).toString('hex') },
  ]
}

async function given(tx: Tx, settings: SettingsUpdate | undefined): Promise<PlannedChange[]> {
  return settings ? planChanges(settings, await readSettings(tx)) : []
}

async function prepare(tx: Tx, token: string): Promise<void> {
  await insertToken(tx, { id: hashToken(token), scopes: ['*'], description: 'Prepared token' })
}

/** Handed over first: should we die between the two, the next start makes another, whereas nobody would ever know this one. */
async function makeFirstToken(tx: Tx, handOver: FirstRunDeps['writeFirstToken']): Promise<void> {
  const token = newToken()
  await handOver(token)
  await insertToken(tx, { id: hashToken(token), scopes: ['*'], description: 'First token' })
}
