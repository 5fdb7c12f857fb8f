import { createHash, randomBytes } from 'node:crypto'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect, type Db } from '@posthorn/db'
import { migrate } from '@posthorn/db/migrate'
import { checkout } from '@posthorn/local/paths'
import { startPostgres } from '@posthorn/local/postgres/server'
import { rolePasswords, roleUrl } from '@posthorn/local/role-passwords'
import { escapeIdentifier, withClient } from '@posthorn/local/postgres/client'
import { sharedServer } from '../private-server.ts'

export interface TestDatabase {
  /**
   * Database connection as the owner of the test database, with all privileges. Closed by `drop`.
   */
  db: Db
  /** URL of the test database with the login of its owner. */
  url: string
  ownerUrl: string
  /**
   * Returns the database URL with the role of a service, which has the privileges that the
   * migrations grant.
   */
  roleUrl: (role: `posthorn_${string}`) => string
  drop: () => Promise<void>
}

/**
 * Returns the URL of a Postgres server with the login of the owner. Uses the server of
 * TEST_POSTGRES_URL, or starts a private server.
 */
export const usePostgres = sharedServer(
  'postgres',
  () => process.env['TEST_POSTGRES_URL'] || undefined,
  async ({ dir }) => {
    const server = await startPostgres({ dir, durable: false })
    return { address: server.url, destroy: () => server.destroy() }
  },
)

/**
 * Creates an empty database with the schema of Posthorn for one test file. The database is a copy
 * of a template, which the first test file of a run creates.
 */
export async function testDatabase(): Promise<TestDatabase> {
  const { address: server, drop } = await usePostgres()
  const template = await ensureTemplate(server)
  const name = `t_${randomBytes(8).toString('hex')}`
  // `file_copy` needs less CPU time than the default, which writes each page to the log.
  await withClient(server, (client) =>
    client.query(
      `create database ${escapeIdentifier(name)} template ${escapeIdentifier(template)} strategy file_copy`,
    ),
  )
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href
  const db = connect(url, { name: 'test', max: 5, patience: 20 })
  return {
    db,
    url,
    ownerUrl: url,
    roleUrl: (role) => roleUrl(url, role),
    async drop() {
      await db.destroy()
      await withClient(server, (client) =>
        client.query(`drop database if exists ${escapeIdentifier(name)} with (force)`),
      )
      await drop()
    },
  }
}

/**
 * Creates a template database per state of the migrations. An advisory lock makes concurrent test
 * files wait for the template.
 */
async function ensureTemplate(server: string): Promise<string> {
  const name = `posthorn_template_${await fingerprint()}`
  await withClient(server, async (client) => {
    await client.query("select pg_advisory_lock(hashtext('posthorn roles'))")
    const { rows } = await client.query<{ datistemplate: boolean }>(
      'select datistemplate from pg_database where datname = $1',
      [name],
    )
    if (rows[0]?.datistemplate) return
    // Removes an unfinished template database of a process that died while creating the template.
    await client.query(`drop database if exists ${escapeIdentifier(name)} with (force)`)
    await client.query(`create database ${escapeIdentifier(name)}`)
    await migrate(Object.assign(new URL(server), { pathname: `/${name}` }).href, {
      rolePasswords: rolePasswords(server),
    })
    await client.query(`alter database ${escapeIdentifier(name)} is_template true`)
  })
  return name
}

async function fingerprint(): Promise<string> {
  const folder = join(checkout, 'libs/db/src/migrations')
  const files = (await Array.fromAsync(glob('*.sql', { cwd: folder }))).sort()
  const hash = createHash('sha256')
  for (const file of files) hash.update(`${file}\n`).update(await readFile(join(folder, file)))
  return hash.digest('hex').slice(0, 12)
}
