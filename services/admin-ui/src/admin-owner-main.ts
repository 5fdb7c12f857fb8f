import { parseArgs } from 'node:util'
import { ConfigError } from '@posthorn/config'
import { PersonEmail } from '@posthorn/contracts/admin/session'
import { matches } from '@posthorn/contracts/validate'
import { connect } from '@posthorn/db'
import { messageOf } from '@posthorn/errors'
import { runJob } from '@posthorn/flow'
import { createLogger } from '@posthorn/telemetry'
import { createAuditLog } from './audit/audit-log.ts'
import { readAdminOwnerConfig } from './config.ts'
import { createOwnerLink } from './identity/set-up-link.ts'

// Prints a link with which a person becomes owner of the administration pages with a new password.
// Needs DATABASE_URL of admin-ui:
//   node src/admin-owner-main.ts owner@example.com
// Exits with 64 without an email address (EX_USAGE of sysexits.h).
const usageExit = 64
/**
 * Origin of the administration pages if SVC_ADMIN_URL is unset: the default port of admin-ui on
 * this machine.
 */
const defaultOrigin = 'http://localhost:3008'

await runJob({
  work,
  describeError: (error) =>
    error instanceof ConfigError ? error.message : `creating the link failed: ${messageOf(error)}`,
})

async function work(): Promise<number> {
  const { positionals } = parseArgs({ allowPositionals: true })
  const [email = ''] = positionals
  if (positionals.length !== 1 || !matches(PersonEmail, email)) {
    process.stderr.write('name the email address of the owner: posthorn admin-owner <email>\n')
    return usageExit
  }
  const { databaseUrl, adminUrl, logLevel } = readAdminOwnerConfig(process.env)
  const db = connect(databaseUrl, { name: 'admin-ui owner', max: 1 })
  try {
    const audit = createAuditLog(db, { log: createLogger('admin-ui', logLevel) })
    const entry = { email, address: 'server', method: 'JOB', path: 'admin-owner' }
    const create = () => createOwnerLink(db, { email, origin: adminUrl ?? defaultOrigin })
    const action = { ...entry, operation: 'createOwnerLink' }
    const { link, expiresAt } = await audit.change(action, create)
    process.stdout.write(`${link}\n`)
    const until = expiresAt.toISOString()
    process.stderr.write(`The link is valid once, until ${until}. Open it and choose a password.\n`)
    if (adminUrl === undefined)
      process.stderr.write(`SVC_ADMIN_URL is not set: replace ${defaultOrigin} if necessary.\n`)
  } finally {
    await db.destroy()
  }
  return 0
}
