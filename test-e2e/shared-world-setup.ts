import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stopRecorded } from '@posthorn/local/process/run-record'
import { dropVhost } from '@posthorn/local/rabbitmq/management-api'
import { escapeIdentifier, withClient } from '@posthorn/local/postgres/client'
import buildBundle, { deleteBundle } from '../libs/tooling/src/jest/bundle-setup.ts'

/**
 * Global setup of Jest for the end-to-end tests. Creates the directory in which Jest workers
 * describe their shared systems, and builds the bundle from which all systems start. The teardown
 * is `shared-world-teardown.ts`.
 */
// oxlint-disable-next-line import/no-default-export -- Jest calls the default export
export default async function setup(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'posthorn-shared-worlds-'))
  process.env['E2E_SHARED_WORLDS'] = dir
  await buildBundle()
}

/** Stops the shared systems of all Jest workers and deletes their databases and virtual hosts. */
export async function stopSharedWorlds(): Promise<void> {
  await deleteBundle()
  const dir = process.env['E2E_SHARED_WORLDS']
  if (dir === undefined) return
  const files = await readdir(dir)
  for (const file of files.filter((name) => name.endsWith('.processes')))
    await stopRecorded(join(dir, file))
  for (const file of files.filter((name) => name.endsWith('.json'))) {
    const { database, vhost } = JSON.parse(await readFile(join(dir, file), 'utf8')) as {
      database: string
      vhost: string
    }
    await dropDatabase(database)
    const { TEST_AMQP_URL: amqp = '', TEST_AMQP_API: api } = process.env
    if (api !== undefined) await dropVhost({ amqp, api }, vhost)
  }
  await rm(dir, { recursive: true, force: true })
}

/**
 * Drops a database. A failure is ignored if the tests started a private Postgres, which has already
 * ended.
 */
async function dropDatabase(ownerUrl: string): Promise<void> {
  const name = new URL(ownerUrl).pathname.slice(1)
  const server = Object.assign(new URL(ownerUrl), { pathname: '/postgres' }).href
  await withClient(server, (client) =>
    client.query(`drop database if exists ${escapeIdentifier(name)} with (force)`),
  ).catch((error: unknown) => {
    if (process.env['TEST_POSTGRES_URL'] !== undefined) throw error
  })
}
