import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isRoot, ownerNames, unprivilegedUser } from '../files/data-directory.ts'
import { loadOrCreateState } from '../files/state-file.ts'
import { fillTemplate } from '../files/template.ts'
import { withClient } from '../postgres/client.ts'
import { launch } from '../process/launch.ts'
import { manageServer, type ManagedServer, waitUntilReady } from '../process/managed-server.ts'
import { freePort } from '../process/ports.ts'
import { rolePasswords } from '../role-passwords.ts'
import { findPgbouncer } from './program.ts'

const template = join(import.meta.dirname, '../../../pgbouncer/pgbouncer.ini.in')

export interface PgbouncerOptions {
  /**
   * Directory of the port, passwords, configuration and log of pgbouncer. The next start of
   * pgbouncer uses the directory again.
   */
  dir: string
  /** Directory of downloaded Debian packages, shared by all test servers. */
  cache: string
  /** URL of the Postgres server behind pgbouncer, with the login of the server's owner. */
  ownerUrl: string
  /**
   * File to which the processes of pgbouncer are recorded. If the file is given, the processes of
   * pgbouncer outlive this process.
   */
  record?: string | undefined
}

export interface Pgbouncer extends ManagedServer {
  /**
   * Host and port of pgbouncer, through which all databases of the Postgres server can be reached.
   */
  readonly address: string
  /** Stops pgbouncer and deletes its files. */
  destroy(): Promise<void>
}

/**
 * Starts pgbouncer in transaction mode for the owner and the service roles of a Postgres server. If
 * this process runs as root, pgbouncer runs as an unprivileged user.
 */
export async function startPgbouncer(options: PgbouncerOptions): Promise<Pgbouncer> {
  const { dir, cache, ownerUrl, record } = options
  const program = await findPgbouncer(cache)
  await mkdir(dir, { recursive: true })
  const { port } = await loadOrCreateState<{ port: number }>(
    join(dir, 'pgbouncer.json'),
    async () => ({ port: await freePort() }),
  )
  const config = await configure({ dir, ownerUrl, port })
  const address = `127.0.0.1:${port}`
  const url = Object.assign(new URL(ownerUrl), { host: address }).href
  const server = await manageServer(async () => {
    const running = await launch({
      command: program.command,
      args: [...program.args, config],
      env: { PATH: '/usr/bin:/bin' },
      cwd: '/',
      logFile: join(dir, 'pgbouncer.log'),
      record,
      name: 'pgbouncer',
      // At SIGTERM, pgbouncer would wait until its clients have disconnected.
      signal: 'SIGQUIT',
    })
    await waitUntilReady(
      { name: 'pgbouncer', process: running },
      async () => void (await withClient(url, (client) => client.query('select 1'))),
    )
    return [running]
  })
  return Object.assign(server, {
    address,
    async destroy() {
      await server.stop()
      await rm(dir, { recursive: true, force: true })
    },
  })
}

/**
 * Writes the passwords and the configuration of pgbouncer. Returns the path of the configuration
 * file.
 */
async function configure({
  dir,
  ownerUrl,
  port,
}: Pick<PgbouncerOptions, 'dir' | 'ownerUrl'> & { port: number }): Promise<string> {
  const { hostname, port: postgresPort, username, password } = new URL(ownerUrl)
  const users = { [username]: password, ...rolePasswords(ownerUrl) }
  const lines = Object.entries(users).map(([name, secret]) => `"${name}" "${secret}"\n`)
  const authFile = join(dir, 'users.txt')
  await writeFile(authFile, lines.join(''), { mode: 0o600 })
  const { user } = await ownerNames({ dir, owner: unprivilegedUser })
  const config = join(dir, 'pgbouncer.ini')
  await fillTemplate(template, config, {
    POSTGRES_HOST: hostname,
    POSTGRES_PORT: postgresPort,
    PORT: String(port),
    AUTH_FILE: authFile,
    USER: isRoot() ? `user = ${user}` : '',
  })
  return config
}
