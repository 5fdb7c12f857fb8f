import { setTimeout as delay } from 'node:timers/promises'
import { permissionsOf, roleOf, serviceNames } from '@posthorn/contracts'
import { setBrokerUsers } from './broker-users.ts'

// Gives each service a user of its own at RabbitMQ. Run it before the services of a release start, and again where the broker has lost its data.
// `--print` only says what `rabbitmqctl` would have to be told, for brokers without that API.
// AMQP_ADMIN_URL is RabbitMQ's management API, http://admin:password@host:15672/vhost; SVC_AMQP_PASSWORDS is {"posthorn_sender": "…", …}.
const patienceMs = 60_000

/** The broker may be starting: tried until it answers. */
async function untilDone(): Promise<void> {
  const url = process.env['AMQP_ADMIN_URL'] ?? ''
  const text = process.env['SVC_AMQP_PASSWORDS'] ?? '{}'
  if (!URL.canParse(url)) throw new Error('AMQP_ADMIN_URL: must be an address')
  const { pathname } = new URL(url)
  const vhost = pathname === '/' || pathname === '' ? '/' : decodeURIComponent(pathname.slice(1))
  const passwords = readPasswords(text)
  const until = Date.now() + patienceMs
  for (;;) {
    try {
      await setBrokerUsers({ api: url, vhost, passwords })
      process.stdout.write('the users of the services are set\n')
      return
    } catch (error) {
      if (Date.now() > until) throw error
      await delay(1_000)
    }
  }
}

function readPasswords(text: string): Record<string, string> {
  try {
    const given = JSON.parse(text) as Record<string, unknown>
    return Object.fromEntries(Object.entries(given).map(([user, value]) => [user, String(value)]))
  } catch {
    // Not with the parser's reason: it quotes the text.
    throw new Error('SVC_AMQP_PASSWORDS: must be a JSON object')
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
  else await untilDone()
} catch (error) {
  process.stderr.write(`not set: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
