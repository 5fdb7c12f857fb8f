import { createHash, randomBytes } from 'node:crypto'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect, type Db } from '@posthorn/db'
import { migrate } from '@posthorn/db/migrate'
import { checkout } from '@posthorn/local/paths'
import { type Postgres, startPostgres } from '@posthorn/local/postgres/server'
import { rolePasswords, roleUrl } from '@posthorn/local/role-passwords'
import { escapeIdentifier, withClient } from '@posthorn/local/postgres/client'
import { sharedServer } from '../private-server.ts'

/** A role of a service, as the migrations make it. */
export type Role = `posthorn_${string}`

export interface TestDatabase {
  /** As the owner, who may do anything. Closed by `drop`. */
  db: Db
  /** The owner's address. */
  url: string
  ownerUrl: string
  /** The address of a service's role, which may do what the migrations grant it. */
  roleUrl: (role: Role) => string
  drop: () => Promise<void>
}

const ownServer = sharedServer('postgres', (dir) => startPostgres({ dir, durable: false }))

/** An empty database with the schema, of one test file alone; a copy of a template that the first of a run makes. */
export async function testDatabase(): Promise<TestDatabase> {
  const given = process.env['TEST_POSTGRES_URL']
  const server = given || (await ownServer.use()).url
  const template = await ensureTemplate(server)
  const name = `t_${randomBytes(8).toString('hex')}`
  await withClient(server, (client) =>
    client.query(
      `create database ${escapeIdentifier(name)} template ${escapeIdentifier(template)}`,
    ),
  )
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href
  const db = connect(url, { name: 'test', max: 5 })
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
      if (!given) await ownServer.release()
    },
  }
}

/** A database with the schema on a server that is the test's own, to be killed for instance; its address as the owner. */
export async function migratedDatabase(server: Pick<Postgres, 'database'>): Promise<string> {
  const url = await server.database('posthorn')
  await migrate(url, { rolePasswords: rolePasswords(url) })
  return url
}

/** One template for each state of the migrations. The lock is the server's: others wait until it is whole. */
async function ensureTemplate(server: string): Promise<string> {
  const name = `posthorn_template_${await fingerprint()}`
  await withClient(server, async (client) => {
    await client.query("select pg_advisory_lock(hashtext('posthorn roles'))")
    const { rows } = await client.query<{ datistemplate: boolean }>(
      'select datistemplate from pg_database where datname = $1',
      [name],
    )
    if (rows[0]?.datistemplate) return
    // One that is no template yet was left by somebody who died making it.
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
