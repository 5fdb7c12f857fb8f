import { permissionsOf } from '@posthorn/contracts/broker-access'
import { roleOf, serviceNames } from '@posthorn/contracts/services'
import { messageOf } from '@posthorn/errors'
import { retryUntil, runJob } from '@posthorn/flow'
import { setBrokerUsers } from './broker-users.ts'
import { readUsersConfig } from './users-config.ts'

// Creates the RabbitMQ users of the services, before a release starts or after a broker lost its
// data. With `--print`, prints the equivalent rabbitmqctl commands for brokers without a management
// API. Environment variables: AMQP_ADMIN_URL is the management API,
// http://admin:password@host:15672/vhost. SVC_AMQP_PASSWORDS is a JSON object, {"posthorn_sender":
// "…", …}.
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
