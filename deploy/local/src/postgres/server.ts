import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { errorCode } from '../process/error-code.ts'
import { manageServer, type ManagedServer, waitUntilReady } from '../process/managed-server.ts'
import { freePort } from '../process/ports.ts'
import { escapeIdentifier, withClient } from './client.ts'
import { findPostgres } from './program.ts'
import { launch } from '../process/launch.ts'
import { randomPassword, loadOrCreateState } from '../files/state-file.ts'
import {
  createServerDirectory,
  type DataDirectory,
  createDataDirectory,
} from '../files/data-directory.ts'

export interface PostgresOptions {
  /**
   * Directory of the port, password, log and (usually) data of the Postgres server. The next start
   * of the server uses the directory again.
   */
  dir: string
  port?: number
  /**
   * True if commits to Postgres survive a power loss. Defaults to true. Tests set false for speed.
   * With true and with false, no commit is lost when the server is killed.
   */
  durable?: boolean
  /**
   * File to which the processes of Postgres are recorded. If the file is given, the processes of
   * Postgres outlive this process.
   */
  record?: string | undefined
}

export interface Postgres extends ManagedServer {
  /**
   * Address of the Postgres database `postgres` with the login of the owner `posthorn`, a
   * superuser.
   */
  readonly url: string
  readonly port: number
  /**
   * Creates a database unless it exists. Returns the address of the database with the login of its
   * owner.
   */
  database(name: string): Promise<string>
  /** Stops the Postgres server and deletes its data. */
  destroy(): Promise<void>
}

interface State {
  port: number
  password: string
}

/**
 * Starts PostgreSQL 18 from the npm dependencies. All connections need a password (SCRAM), so that
 * each role needs its own login. If this process runs as root, the server runs as an unprivileged
 * user.
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const { dir, durable = true, record } = options
  const directory = await createDataDirectory(dir)
  const bin = await findPostgres()
  const { port, password } = await loadOrCreateState<State>(
    join(dir, 'postgres.json'),
    async () => ({ port: await freePort(), password: randomPassword() }),
    options.port === undefined ? {} : { port: options.port },
  )
  const data = await initialise({ bin, directory, password })
  const url = `postgres://posthorn:${password}@127.0.0.1:${port}/postgres`
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    ...commonSettings,
    ...(durable ? {} : testSettings),
  }
  const start = async () => {
    const running = await launch({
      command: join(bin, 'postgres'),
      args: [
        '-D',
        data,
        ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
      ],
      env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' },
      cwd: '/',
      ...directory.owner,
      logFile: join(dir, 'postgres.log'),
      record,
      name: 'postgres',
      // At SIGINT, Postgres ends all sessions and stops ("fast" shutdown).
      signal: 'SIGINT',
    })
    await waitUntilReady(
      { name: 'PostgreSQL', process: running },
      async () => void (await withClient(url, (client) => client.query('select 1'))),
    )
    return [running]
  }
  const server = await manageServer(() => retryWhileLocked(start))
  return Object.assign(server, {
    url,
    port,
    database: (name: string) => createDatabase(url, name),
    async destroy() {
      await server.stop()
      await rm(directory.dir, { recursive: true, force: true })
      await rm(dir, { recursive: true, force: true })
    },
  })
}

/**
 * Repeats the start of Postgres while the last process of a killed Postgres server still holds the
 * lock file and the shared memory.
 */
async function retryWhileLocked<T>(start: () => Promise<T>): Promise<T> {
  for (let left = 50; ; left--) {
    try {
      return await start()
    } catch (error) {
      const inUse = /postmaster\.pid" already exists|pre-existing shared memory/.test(String(error))
      if (!inUse || left === 0) throw error
      await delay(100)
    }
  }
}

const commonSettings = {
  // Postgres listens on no Unix socket, because paths of sockets have at most 107 bytes.
  unix_socket_directories: '',
  max_connections: 300,
  shared_buffers: '64MB',
  log_min_messages: 'warning',
  timezone: 'UTC',
  log_timezone: 'UTC',
}
/**
 * Postgres settings for tests, without durability. Commits are written to the operating system
 * before the reply, so a crash of the machine can lose commits, but a killed server cannot.
 */
const testSettings = { fsync: 'off', full_page_writes: 'off', autovacuum_naptime: '10s' }

async function initialise({
  bin,
  directory,
  password,
}: {
  bin: string
  directory: DataDirectory
  password: string
}): Promise<string> {
  const data = join(directory.dir, 'data')
  if (existsSync(join(data, 'PG_VERSION'))) return data
  // initdb writes into a draft directory, which is renamed after initdb has ended. The file
  // PG_VERSION does not prove a complete database, because initdb writes PG_VERSION early.
  const draft = join(directory.dir, 'data.draft')
  await rm(draft, { recursive: true, force: true })
  await createServerDirectory(draft, directory.owner)
  const passwordFile = join(
    await createServerDirectory(join(directory.dir, 'init'), directory.owner),
    'password',
  )
  await writeFile(passwordFile, password, { mode: 0o644 })
  const args = ['-D', draft, '-U', 'posthorn', `--pwfile=${passwordFile}`, '-A', 'scram-sha-256']
  await promisify(execFile)(
    join(bin, 'initdb'),
    [...args, '-E', 'UTF8', '--no-locale', '--no-sync'],
    {
      env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' },
      cwd: '/',
      ...directory.owner,
    },
  )
  await rm(join(directory.dir, 'init'), { recursive: true, force: true })
  await rename(draft, data)
  return data
}

async function createDatabase(url: string, name: string): Promise<string> {
  await withClient(url, (client) =>
    client.query(`create database ${escapeIdentifier(name)}`),
  ).catch((error: unknown) => {
    // Errors of an existing database are ignored. SQLSTATE 42P04: the database exists. 23505:
    // another process has just created the database.
    if (!['42P04', '23505'].includes(errorCode(error) ?? '')) throw error
  })
  return Object.assign(new URL(url), { pathname: `/${name}` }).href
}
