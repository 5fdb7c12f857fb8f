import { ConfigError, json, required } from '@posthorn/config'
import { messageOf } from '@posthorn/errors'
import { migrate } from './migrate.ts'

// The migrate command: run once before the services of a release start. DATABASE_OWNER_URL names
// the database's owner; SVC_DATABASE_ROLE_PASSWORDS is {"posthorn_sender": "…", …}.
try {
  const passwords = json(process.env, 'SVC_DATABASE_ROLE_PASSWORDS') ?? {}
  const applied = await migrate(required(process.env, 'DATABASE_OWNER_URL'), {
    rolePasswords: Object.fromEntries(
      Object.entries(passwords).map(([role, password]) => [role, String(password)]),
    ),
    onTimeoutsRefused: (roles) =>
      void process.stdout.write(`no permission to set the timeouts of ${roles.join(', ')}\n`),
  })
  process.stdout.write(
    applied.length === 0 ? 'schema is up to date\n' : `applied ${applied.join(', ')}\n`,
  )
} catch (error) {
  const reason =
    error instanceof ConfigError ? error.message : `migration failed: ${messageOf(error)}`
  process.stderr.write(`${reason}\n`)
  process.exitCode = 1
}
