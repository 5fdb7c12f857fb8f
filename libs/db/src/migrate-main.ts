import { ConfigError } from '@posthorn/config'
import { messageOf } from '@posthorn/errors'
import { runJob } from '@posthorn/flow'
import { readMigrateConfig } from './migrate-config.ts'
import { migrate } from './migrate/migrate.ts'
import { describeProgress } from './migrate/progress.ts'
import { MigrationBlockedError } from './migrate/run-migrations.ts'

/**
 * Exit status of the migrate command if repeating the command may succeed (EX_TEMPFAIL of
 * sysexits.h).
 */
const temporaryFailure = 75

const print = (line: string) => void process.stdout.write(`${line}\n`)

// The migrate command, which runs once before the services of a release start. Environment
// variables: DATABASE_OWNER_URL is the URL of the database with its owner's login,
// SVC_DATABASE_ROLE_PASSWORDS is {"posthorn_sender": "…", …}.
async function work(): Promise<number> {
  const { ownerUrl, ...config } = readMigrateConfig(process.env)
  try {
    const applied = await migrate(ownerUrl, {
      ...config,
      onProgress: (progress) => print(describeProgress(progress)),
      onTimeoutsRefused: (roles) =>
        print(`no permission to set the timeouts of ${roles.join(', ')}`),
      onTemporaryKept: (roles) => print(`temporary objects are allowed to ${roles.join(', ')}`),
    })
    print(applied.length === 0 ? 'schema is up to date' : `applied ${applied.join(', ')}`)
    return 0
  } catch (error) {
    if (!(error instanceof MigrationBlockedError)) throw error
    process.stderr.write(`${describeError(error)}\n`)
    return temporaryFailure
  }
}

function describeError(error: unknown): string {
  return error instanceof ConfigError ? error.message : `migration failed: ${messageOf(error)}`
}

await runJob({ work, describeError })
