import { parseArgs } from 'node:util'
import { ConfigError } from '@posthorn/config'
import { connect } from '@posthorn/db'
import { messageOf } from '@posthorn/errors'
import { runJob } from '@posthorn/flow'
import { createResealer, keyPairFromSecret } from '@posthorn/secrets'
import { countKeys, resealAll, type TableKeys } from './reseal/reseal.ts'
import { readResealConfig } from './secrets-config.ts'

// Seals all stored values with the key of SVC_SECRET. SVC_SECRET_PREVIOUS has the older secrets.
// Needs the environment of auth-bridge:
//   node src/reseal-main.ts            reseals
//   node src/reseal-main.ts --dry-run  only counts the values per key
// Exits with 0 if all values are sealed with the newest key and for their use, else with 2.
const progress = (line: string) => void process.stderr.write(`${line}\n`)

await runJob({
  work,
  describeError: (error) =>
    error instanceof ConfigError ? error.message : `resealing failed: ${messageOf(error)}`,
})

async function work(): Promise<number> {
  const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } })
  const { secret, previousSecrets, databaseUrl } = readResealConfig(process.env)
  const newest = keyPairFromSecret(secret.reveal())
  const keys = [newest, ...previousSecrets.map((text) => keyPairFromSecret(text.reveal()))]
  const db = connect(databaseUrl, { name: 'auth-bridge reseal', max: 2 })
  try {
    if (!values['dry-run']) {
      const resealer = createResealer(
        newest.publicKey,
        keys.map(({ privateKey }) => privateKey),
      )
      const { resealed, unreadable } = await resealAll({ db, resealer, progress })
      progress(`${resealed} values resealed, ${unreadable} cannot be unsealed with any secret`)
    }
    const tables = await countKeys({ db })
    const names = keys.map(
      ({ publicKey }, index) =>
        [publicKey.id, index === 0 ? 'SVC_SECRET' : 'SVC_SECRET_PREVIOUS'] as const,
    )
    printSummary(tables, new Map(names))
    return tables.every(({ keys }) => Object.keys(keys).every((id) => id === newest.publicKey.id))
      ? 0
      : 2
  } finally {
    await db.destroy()
  }
}

/** Prints the number of sealed (encrypted) values for each table and key, one line each. */
function printSummary(tables: readonly TableKeys[], names: ReadonlyMap<string, string>): void {
  for (const { table, keys } of tables) {
    for (const [id, count] of Object.entries(keys))
      process.stdout.write(`${table} ${id} ${count} ${names.get(id) ?? withoutSecret(id)}\n`)
  }
}

function withoutSecret(id: string): string {
  if (id === 'unbound') return 'sealed without its use'
  return id === 'clear' ? 'not sealed' : 'secret not configured'
}
