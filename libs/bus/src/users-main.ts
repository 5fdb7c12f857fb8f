import { permissionsOf, roleOf, serviceNames } from '@posthorn/contracts'
import { retryUntil } from '@posthorn/flow'
import { setBrokerUsers } from './broker-users.ts'

// Creates the broker users of the services. Run it before a release starts and after a broker lost
// its data. `--print` prints the equivalent rabbitmqctl commands for brokers without management
// API. AMQP_ADMIN_URL: management API, http://admin:password@host:15672/vhost. SVC_AMQP_PASSWORDS:
// JSON object, {"posthorn_sender": "…", …}.
const maxWaitMs = 60_000

/** Retries for 60 s, because the broker may be starting. */
async function setUsers(): Promise<void> {
  const url = process.env['AMQP_ADMIN_URL'] ?? ''
  const text = process.env['SVC_AMQP_PASSWORDS'] ?? '{}'
  if (!URL.canParse(url)) throw new Error('AMQP_ADMIN_URL must be a URL')
  const { pathname } = new URL(url)
  const vhost = pathname === '/' || pathname === '' ? '/' : decodeURIComponent(pathname.slice(1))
  const passwords = readPasswords(text)
  const deadline = Date.now() + maxWaitMs
  await retryUntil(() => setBrokerUsers({ api: url, vhost, passwords }), {
    delayMs: 1_000,
    isRetryable: () => Date.now() <= deadline,
  })
  process.stdout.write('broker users of the services are set\n')
}

function readPasswords(text: string): Record<string, string> {
  try {
    const entries = Object.entries(JSON.parse(text) as Record<string, unknown>)
    return Object.fromEntries(entries.map(([user, value]) => [user, String(value)]))
  } catch {
    // The parser's message would quote the passwords.
    throw new Error('SVC_AMQP_PASSWORDS must be a JSON object')
  }
}

function print(): void {
  for (const service of serviceNames) {
    const { configure, write, read } = permissionsOf(service)
    process.stdout.write(
      `rabbitmqctl set_permissions -p "$VHOST" ${roleOf(service)} '${configure}' '${write}' '${read}'\n`,
    )
  }
}

try {
  if (process.argv.includes('--print')) print()
  else await setUsers()
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error)
  process.stderr.write(`broker users not set: ${reason}\n`)
  process.exitCode = 1
}
