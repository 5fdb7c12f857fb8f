import { randomBytes } from 'node:crypto'
import { rename, writeFile } from 'node:fs/promises'
import { seededSettings } from '@posthorn/contracts/settings/settings'
import { type Db, readSettings, type Tx } from '@posthorn/db'
import { hashToken, newToken, type Sealer } from '@posthorn/secrets'
import type { FirstRunConfig } from './first-run-config.ts'
import {
  planChanges,
  type PlannedChange,
  sealChanges,
} from './operations/settings/setting-changes.ts'
import { hasTokens, insertToken } from './store/access/tokens.ts'
import { listSealedSettings, writeSettings } from './store/installation/settings.ts'
import { lockFirstRun } from './store/transaction.ts'

export interface FirstRunDeps {
  db: Db
  sealer: Sealer
}

/**
 * Prepares a new deployment: default settings, webhook and link secrets, first token. Applies the
 * settings and the token of the environment at every start. A lock serializes concurrent replicas.
 */
export async function firstRun(
  { db, sealer }: FirstRunDeps,
  { settings, preparedToken, firstTokenFile }: Omit<FirstRunConfig, 'unknownSettings'>,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await lockFirstRun(tx)
    const planned = await planSeeds(tx)
    if (settings) planned.push(...planChanges(settings, await readSettings(tx)))
    await writeSettings(tx, await sealChanges(planned, sealer))
    if (preparedToken) await insertOperatorToken(tx, preparedToken.reveal(), 'Prepared token')
    if (await hasTokens(tx)) return
    const token = newToken()
    // Hands the first access token to the operator before the transaction that stores the token
    // commits. After a crash in between, the next start writes another token; a token that is
    // committed but not written would be lost.
    await writeFirstToken(token, firstTokenFile)
    await insertOperatorToken(tx, token, 'First token')
  })
}

/**
 * Plans the initial settings of a deployment. A deployment that has a service secret has run before
 * and gets no default settings.
 */
async function planSeeds(tx: Tx): Promise<PlannedChange[]> {
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

async function insertOperatorToken(tx: Tx, token: string, description: string): Promise<void> {
  await insertToken(tx, { id: hashToken(token), scopes: ['*'], description })
}

/**
 * Writes the first access token for the operator: to a file with mode 0600, or to stderr without a
 * file name. The token must not be logged, because log collectors store logs.
 */
export async function writeFirstToken(token: string, file: string | undefined): Promise<void> {
  if (file === undefined) {
    process.stderr.write(`First access token, shown this once: ${token}\n`)
    return
  }
  const temporary = `${file}.${process.pid}.tmp`
  await writeFile(temporary, `${token}\n`, { mode: 0o600, flag: 'wx' })
  await rename(temporary, file)
}
