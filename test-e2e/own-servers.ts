import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  type ManagedServer,
  type Postgres,
  type Rabbit,
  startPostgres,
  startRabbit,
} from '@posthorn/local'
import { cacheDirectory, checkout } from '@posthorn/local/paths'
import { coreServices, rolePasswords } from '@posthorn/local/role-passwords'

export interface OwnServersOptions {
  dir: string
  /** True if Postgres writes each commit to disk before it replies, as in production. */
  durable: boolean
  /**
   * Folder of a bundle (`make build`) whose jobs prepare the servers. Defaults to the jobs in the
   * source code.
   */
  bundle?: string | undefined
}

/** Private Postgres and RabbitMQ, which the jobs of a release have prepared for its services. */
export interface OwnServers {
  ownerUrl: string
  amqpUrl: string
  postgres: Postgres
  rabbit: Rabbit
}

/**
 * Starts a private Postgres and RabbitMQ, and runs the jobs of a release. The stack stops the
 * servers.
 */
export async function startOwnServers(
  { dir, durable, bundle }: OwnServersOptions,
  stack: AsyncDisposableStack,
): Promise<OwnServers> {
  const destroy = (server: ManagedServer & { destroy(): Promise<void> }) => server.destroy()
  const [postgres, rabbit] = await Promise.all([
    startPostgres({ dir: join(dir, 'postgres'), durable }),
    startRabbit({ dir: join(dir, 'rabbitmq'), cache: cacheDirectory(process.env) }),
  ])
  stack.adopt(postgres, destroy)
  stack.adopt(rabbit, destroy)
  const ownerUrl = await postgres.database('posthorn')
  const servers = { ownerUrl, amqpUrl: rabbit.amqp, postgres, rabbit }
  await rabbit.grantServices('/') // RabbitMQ gets these grants again after a wipe
  await runReleaseJobs(servers, bundle)
  return servers
}

/** Paths of the main modules of the jobs `migrate` and `broker-users` in the source code. */
const jobSources = {
  migrate: 'libs/db/src/migrate-main.ts',
  'broker-users': 'libs/bus/src/users-main.ts',
} as const

/**
 * Runs the jobs of a release as a deployment does, from a bundle or else from the source code.
 * Returns the output of `migrate`.
 */
export async function runReleaseJobs(
  { ownerUrl, rabbit: { api } }: { ownerUrl: string; rabbit: { api: string } },
  bundle?: string,
): Promise<string> {
  const run = async (name: keyof typeof jobSources, env: Record<string, string>) => {
    const source = [join(checkout, jobSources[name])]
    const command = bundle === undefined ? source : [join(bundle, 'posthorn.js'), name]
    return (await promisify(execFile)(process.execPath, command, { env })).stdout
  }
  const [output] = await Promise.all([
    run('migrate', {
      DATABASE_OWNER_URL: ownerUrl,
      // Only the core services get database roles, because the previous release has no optional
      // services.
      SVC_DATABASE_ROLE_PASSWORDS: JSON.stringify(rolePasswords(ownerUrl, coreServices)),
    }),
    run('broker-users', {
      AMQP_ADMIN_URL: api,
      SVC_AMQP_PASSWORDS: JSON.stringify(rolePasswords(api, coreServices)),
    }),
  ])
  return output
}
