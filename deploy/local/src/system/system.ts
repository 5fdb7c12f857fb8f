import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { assertApiToken } from './assert-api-token.ts'
import type { DovecotAddress } from '../dovecot/server.ts'
import { checkout } from '../paths.ts'
import { withClient } from '../postgres/client.ts'
import { PortReservations } from '../process/port-reservations.ts'
import { coreServices, rolePasswords, type ServiceName } from '../role-passwords.ts'
import { clientHost, type EnvByService } from './service-env.ts'
import { listProcesses, type Services, type ServicesOptions, startServices } from './services.ts'
import { loadOrCreateState, randomPassword, readState } from '../files/state-file.ts'
import {
  startSystemServers,
  stopSystemServers,
  type SystemServers,
  type SystemServersOptions,
} from './servers.ts'
import { allocateSystemPorts, systemFile, type SystemPortsOptions } from './system-ports.ts'

export interface SystemOptions extends SystemServersOptions {
  /**
   * True to keep the directory of the local system when the system is stopped, so that the next
   * start continues with its data. Defaults to false.
   */
  keep?: boolean
  /** Number of processes per service, by name of the service. Defaults to 1. */
  replicas?: Partial<Record<ServiceName, number>>
  /**
   * Names of the Posthorn services to start in the local system. Defaults to the services that
   * every installation runs.
   */
  names?: readonly ServiceName[]
  /**
   * Lowest port to choose for the API if `ports.api` is not set. If `apiFrom` is set, an occupied
   * port of an earlier start is replaced.
   */
  apiFrom?: number
  /**
   * Listen address of the API and of the IMAP and SMTP proxies. Defaults to 127.0.0.1. Postgres,
   * RabbitMQ and the mail server listen on loopback.
   */
  bind?: string
  /**
   * Posthorn settings that the first start of the local system stores, in addition to the settings
   * that every local system needs.
   */
  settings?: Readonly<Record<string, unknown>>
  /**
   * Folder that `make build` wrote. The services run from this folder instead of from their
   * sources.
   */
  bundle?: string | undefined
}

export interface System extends SystemServers {
  /** Host name at which clients on this machine reach the API and the IMAP and SMTP proxies. */
  host: string
  /** Base URL of the local system's API. */
  url: string
  /** Access token for the local system's API, with full rights. */
  token: string
  /** Secret key with which the local system signs its webhooks. */
  serviceSecret: string
  imapProxyPort: number
  smtpProxyPort: number
  /** Addresses of the administration pages. Undefined if the system does not run them. */
  admin: AdminAddresses | undefined
  services: Services
  mail?: DovecotAddress
  /**
   * Stops the services of the local system, then the servers that the system started. Deletes the
   * directory of the system unless `keep` is set.
   */
  stop(): Promise<void>
}

/** Addresses of the administration pages of a local system. */
export interface AdminAddresses {
  url: string
  /** Link with which the first owner is created. */
  setUpUrl: string
}

interface Secrets {
  secret: string
  token: string
  serviceSecret: string
  /** Token of the set-up link of the administration pages. */
  setupToken: string
}

interface State extends Secrets {
  api: number
  imapProxy: number
  smtpProxy: number
  admin: number
  /**
   * Ports for health and metrics by process name, including processes that this start does not run.
   */
  health: Readonly<Record<string, number>>
}

/**
 * Starts a whole local system: servers, database schema, services. Resolves when every service is
 * ready.
 */
export async function startSystem(options: SystemOptions): Promise<System> {
  const { dir, keep = false, bind = '127.0.0.1' } = options
  // The chosen ports of the local system stay reserved until all servers listen or the start has
  // failed.
  await using reservations = new PortReservations()
  const { state, ports } = await loadState(options, { bind, reservations })
  const servers = await startSystemServers({ ...options, ports })
  const stopServers = async () => {
    await stopSystemServers(servers)
    if (!keep) await rm(dir, { recursive: true, force: true })
  }
  try {
    await migrateExclusively(servers.ownerUrl)
    const services = await startServices(servicesOptions(options, { servers, state, bind }))
    const url = `http://${clientHost(bind)}:${state.api}`
    if ('api-gateway' in services.ports)
      await assertApiToken(url, state.token).catch(async (error: unknown) => {
        await services.stopAll()
        throw error
      })
    return {
      ...servers,
      host: clientHost(bind),
      url,
      token: state.token,
      serviceSecret: state.serviceSecret,
      imapProxyPort: state.imapProxy,
      smtpProxyPort: state.smtpProxy,
      admin: options.names?.includes('admin-ui') ? adminAddresses(state) : undefined,
      services,
      async stop() {
        await services.stopAll()
        await stopServers()
      },
    }
  } catch (error) {
    await stopServers()
    throw error
  }
}

function servicesOptions(
  { dir, env = {}, names, replicas = {}, settings = {}, record, bundle }: SystemOptions,
  { servers, state, bind }: { servers: SystemServers; state: State; bind: string },
): ServicesOptions {
  const passed = Object.entries(env).filter(
    ([key, value]) => forwardedVariables.test(key) && !generatedVariables.has(key) && value,
  )
  return {
    logDir: join(dir, 'log'),
    replicas,
    ...(names ? { names } : {}),
    ports: state.health,
    record,
    bundle,
    shared: {
      ownerUrl: servers.ownerUrl,
      amqpUrl: servers.amqpUrl,
      amqpUsers: servers.amqpUsers ?? false,
      secret: state.secret,
      token: state.token,
      bind,
      envByService: names?.includes('admin-ui') ? adminVariables(state, bind) : {},
      env: Object.fromEntries(passed) as Record<string, string>,
      settings: {
        serviceSecret: state.serviceSecret,
        serviceUrl: `http://${clientHost(bind)}:${state.api}`,
        imapProxyServerEnabled: true,
        imapProxyServerHost: bind,
        imapProxyServerPort: state.imapProxy,
        smtpServerEnabled: true,
        smtpServerHost: bind,
        smtpServerPort: state.smtpProxy,
        ...settings,
      },
    },
  }
}

/**
 * Origin of the administration pages. admin-ui serves the pages without TLS, so it listens on
 * loopback only. The host is a name, because browsers refuse passkeys at IP addresses.
 */
function adminOrigin({ admin }: State): string {
  return `http://localhost:${admin}`
}

function adminAddresses(state: State): AdminAddresses {
  const pages = `${adminOrigin(state)}/admin`
  return { url: `${pages}/`, setUpUrl: `${pages}/set-up#token=${state.setupToken}` }
}

function adminVariables(state: State, bind: string): EnvByService {
  const pages = { SVC_ADMIN_URL: adminOrigin(state) }
  return {
    'api-gateway': pages,
    'admin-ui': {
      ...pages,
      SVC_GATEWAY_URL: `http://${clientHost(bind)}:${state.api}`,
      SVC_ADMIN_SETUP_TOKEN: state.setupToken,
    },
  }
}

const forwardedVariables = /^(SVC|OTEL)_/
const generatedVariables = new Set([
  'SVC_SECRET',
  'SVC_SECRET_PREVIOUS',
  'SVC_SECRET_PUBLIC_KEY',
  'SVC_SERVICE_SECRET',
  'SVC_DATABASE_ROLE_PASSWORDS',
])

/** Chooses the ports of a local system and stores them with the secrets of the system. */
async function loadState(
  { dir, names = coreServices, replicas = {}, ports: wanted = {}, apiFrom }: SystemOptions,
  use: Pick<SystemPortsOptions, 'bind' | 'reservations'>,
) {
  const processes = listProcesses(names, replicas).map(({ name }) => name)
  const allocated = await allocateSystemPorts({ dir, wanted, apiFrom, processes, ...use })
  const { api, imapProxy, smtpProxy, admin } = allocated.ports
  const file = join(dir, systemFile)
  const { health } = await readState<State>(file)
  const ports = { api, imapProxy, smtpProxy, admin, health: { ...health, ...allocated.health } }
  const fresh = async () => ({ ...createSecrets(), ...ports })
  const state = await loadOrCreateState<State>(file, fresh, ports)
  return { state, ports: allocated.ports }
}

function createSecrets(): Secrets {
  return {
    secret: randomPassword(),
    token: randomBytes(32).toString('hex'),
    serviceSecret: randomPassword(),
    setupToken: randomBytes(32).toString('base64url'),
  }
}

/**
 * Runs the migrate command, which sets the passwords of the Postgres roles. A lock on the Postgres
 * server prevents concurrent runs: roles belong to the whole server, and Postgres rejects
 * concurrent changes of roles.
 */
async function migrateExclusively(ownerUrl: string): Promise<void> {
  await withClient(
    Object.assign(new URL(ownerUrl), { pathname: '/postgres' }).href,
    async (client) => {
      await client.query("select pg_advisory_lock(hashtext('posthorn roles'))")
      await promisify(execFile)(process.execPath, ['src/migrate-main.ts'], {
        cwd: join(checkout, 'libs/db'),
        env: {
          PATH: '/usr/bin:/bin',
          DATABASE_OWNER_URL: ownerUrl,
          SVC_DATABASE_ROLE_PASSWORDS: JSON.stringify(rolePasswords(ownerUrl)),
        },
        timeout: 120_000,
      })
    },
  )
}
