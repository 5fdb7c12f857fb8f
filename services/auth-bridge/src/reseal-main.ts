import { parseArgs } from 'node:util'
import { ConfigError, required } from '@posthorn/config'
import { connect } from '@posthorn/db'
import { messageOf } from '@posthorn/errors'
import { createResealer, keyPairFromSecret } from '@posthorn/secrets'
import { readSecrets } from './config.ts'
import { countKeys, resealAll, type TableState } from './reseal/reseal.ts'

// Seals what is stored anew with the key of SVC_SECRET; what it takes to open it is in SVC_SECRET_PREVIOUS. Run where auth-bridge runs:
//   node src/reseal-main.ts            does it
//   node src/reseal-main.ts --dry-run  only says how many values hang on which key
// Ends with 0 once nothing hangs on another key than the newest, else with 2.
const say = (line: string) => void process.stderr.write(`${line}\n`)

try {
  const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } })
  process.exitCode = await run(values['dry-run'])
} catch (error) {
  say(error instanceof ConfigError ? error.message : `not sealed anew: ${messageOf(error)}`)
  process.exitCode = 1
}

async function run(dryRun: boolean): Promise<number> {
  const { secret, previousSecrets } = readSecrets(process.env)
  const newest = keyPairFromSecret(secret.reveal())
  const keys = [newest, ...previousSecrets.map((text) => keyPairFromSecret(text.reveal()))]
  const url = required(process.env, 'DATABASE_URL')
  const db = connect(url, { name: 'auth-bridge reseal', max: 2 })
  try {
    if (!dryRun) {
      const resealer = createResealer(
        newest.publicKey,
        keys.map(({ privateKey }) => privateKey),
      )
      const { done, unopened } = await resealAll({ db, resealer, progress: say })
      say(`${done} values were sealed anew; ${unopened} are opened by none of the secrets`)
    }
    const states = await countKeys({ db })
    tell(
      states,
      new Map(
        keys.map(({ publicKey }, index) => [
          publicKey.id,
          index === 0 ? 'SVC_SECRET' : 'SVC_SECRET_PREVIOUS',
        ]),
      ),
    )
    return states.every(({ keys }) => Object.keys(keys).every((id) => id === newest.publicKey.id))
      ? 0
      : 2
  } finally {
    await db.destroy()
  }
}

/** The summary: a line for each table and key. */
function tell(states: readonly TableState[], known: ReadonlyMap<string, string>): void {
  for (const { table, keys } of states) {
    for (const [id, count] of Object.entries(keys))
      process.stdout.write(`${table} ${id} ${count} ${known.get(id) ?? withoutSecret(id)}\n`)
  }
}

function withoutSecret(id: string): string {
  return id === 'clear' ? 'not sealed' : 'no secret given'
}
