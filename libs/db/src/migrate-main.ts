import { ConfigError } from '@posthorn/config'
import { messageOf } from '@posthorn/errors'
import { runJob } from '@posthorn/flow'
import { readMigrateConfig } from './migrate-config.ts'
import { migrate } from './migrate.ts'

// The migrate command: run once before the services of a release start. DATABASE_OWNER_URL names
// the database's owner; SVC_DATABASE_ROLE_PASSWORDS is {"posthorn_sender": "…", …}.
async function work(): Promise<number> {
  const { ownerUrl, rolePasswords } = readMigrateConfig(process.env)
  const onTimeoutsRefused = (roles: readonly string[]) =>
    void process.stdout.write(`no permission to set the timeouts of ${roles.join(', ')}\n`)
  const onTemporaryKept = (roles: readonly string[]) =>
    void process.stdout.write(`temporary objects are allowed to ${roles.join(', ')}\n`)
  const options = { rolePasswords, onTimeoutsRefused, onTemporaryKept }
  const applied = await migrate(ownerUrl, options)
  process.stdout.write(
    applied.length === 0 ? 'schema is up to date\n' : `applied ${applied.join(', ')}\n`,
  )
  return 0
}

await runJob({
  work,
  describeError: (error) =>
    error instanceof ConfigError ? error.message : `migration failed: ${messageOf(error)}`,
})
