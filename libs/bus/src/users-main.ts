import { permissionsOf } from '@posthorn/contracts/broker-access'
import { roleOf, serviceNames } from '@posthorn/contracts/services'
import { messageOf } from '@posthorn/errors'
import { retryUntil, runJob } from '@posthorn/flow'
import { setBrokerUsers } from './broker-users.ts'
import { readUsersConfig } from './users-config.ts'

// Creates the broker users of the services. Run it before a release starts and after a broker lost
// its data. `--print` prints the equivalent rabbitmqctl commands for brokers without management
// API. AMQP_ADMIN_URL: management API, http://admin:password@host:15672/vhost. SVC_AMQP_PASSWORDS:
// JSON object, {"posthorn_sender": "…", …}.
const maxWaitMs = 60_000

/**
 * Creates the RabbitMQ users of the services. Retries for 60 s, because the broker may be starting.
 */
async function setUsers(): Promise<void> {
  const config = readUsersConfig(process.env)
  const deadline = Date.now() + maxWaitMs
  await retryUntil(() => setBrokerUsers(config), {
    delayMs: 1_000,
    isRetryable: () => Date.now() <= deadline,
  })
  process.stdout.write('broker users of the services are set\n')
}

function print(): void {
  for (const service of serviceNames) {
    const { configure, write, read } = permissionsOf(service)
    process.stdout.write(
      `rabbitmqctl set_permissions -p "$VHOST" ${roleOf(service)} '${configure}' '${write}' '${read}'\n`,
    )
  }
}

async function work(): Promise<number> {
  if (process.argv.includes('--print')) print()
  else await setUsers()
  return 0
}

await runJob({
  work,
  describeError: (error) => `broker users not set: ${messageOf(error)}`,
})
