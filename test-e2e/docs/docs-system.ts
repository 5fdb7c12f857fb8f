import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSystem, type System, systemVariables } from '@posthorn/local'
import { cacheDirectory } from '@posthorn/local/paths'
import { testBus, testDatabase } from '@posthorn/testkit'

/** Fresh system as `make up` starts it, and the variables that `make up` writes for clients. */
export interface DocsSystem extends AsyncDisposable {
  system: System
  variables: Record<string, string>
}

/**
 * Starts a system with its own mail server, database and virtual host. Postgres and RabbitMQ are
 * the servers of all tests.
 */
export async function startDocsSystem(): Promise<DocsSystem> {
  await using stack = new AsyncDisposableStack()
  const dir = await mkdtemp(join(tmpdir(), 'posthorn-docs-'))
  stack.defer(() => rm(dir, { recursive: true, force: true }))
  const database = stack.adopt(await testDatabase(), (resource) => resource.drop())
  const bus = stack.adopt(await testBus(), (resource) => resource.drop())
  await bus.grantServices()
  const system = await startSystem({
    dir: join(dir, 'system'),
    cache: cacheDirectory(process.env),
    env: { DATABASE_OWNER_URL: database.ownerUrl, AMQP_URL: bus.url },
    bundle: process.env['TEST_BUNDLE'],
  })
  stack.defer(() => system.stop())
  const resources = stack.move()
  return {
    system,
    variables: systemVariables(system),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
