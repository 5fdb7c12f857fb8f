import { join } from 'node:path'
import { readState } from '../files/state-file.ts'
import { choosePorts, type PortRequest } from '../process/choose-ports.ts'
import type { PortReservations } from '../process/port-reservations.ts'
import { freePort, freePortFrom, isFree } from '../process/ports.ts'

interface PortUse extends Pick<PortRequest, 'use' | 'isFixed' | 'variable'> {
  /**
   * File and key under which the port of a server is stored. The path is relative to the directory
   * of the local system.
   */
  stored: readonly [file: string, key: string]
}

const servers = {
  postgres: 'postgres/postgres.json',
  rabbitmq: 'rabbitmq/rabbitmq.json',
  dovecot: 'dovecot/dovecot.json',
  mailHub: 'mail-hub/mail-hub.json',
} as const
/**
 * Name of the file that stores the secrets of a local system, the ports that clients know, and the
 * ports for health checks.
 */
export const systemFile = 'system.json'

/**
 * Uses of ports in a local system. The ports of the API, the IMAP and SMTP proxies and the mail
 * server are fixed, because clients and stored accounts name these ports.
 */
const uses = {
  api: fixed('the API', 'POSTHORN_PORT', [systemFile, 'api']),
  imapProxy: fixed('imap-proxy', 'POSTHORN_IMAP_PROXY_PORT', [systemFile, 'imapProxy']),
  smtpProxy: fixed('smtp-proxy', 'POSTHORN_SMTP_PROXY_PORT', [systemFile, 'smtpProxy']),
  admin: fixed('the administration pages', 'POSTHORN_ADMIN_PORT', [systemFile, 'admin']),
  dovecotImap: fixed('IMAP', 'POSTHORN_DOVECOT_IMAP_PORT', [servers.dovecot, 'imap']),
  dovecotImaps: fixed('IMAPS', 'POSTHORN_DOVECOT_IMAPS_PORT', [servers.dovecot, 'imaps']),
  dovecotSubmission: fixed('submission', 'POSTHORN_DOVECOT_SUBMISSION_PORT', [
    servers.dovecot,
    'submission',
  ]),
  dovecotLmtp: free('LMTP', [servers.dovecot, 'lmtp']),
  dovecotRelay: free('the mail hub', [servers.dovecot, 'relay']),
  mailHubControl: free('the control of the mail hub', [servers.mailHub, 'controlPort']),
  postgres: {
    ...free('PostgreSQL', [servers.postgres, 'port']),
    variable: 'POSTHORN_POSTGRES_PORT',
  },
  rabbitmq: {
    ...free('RabbitMQ', [servers.rabbitmq, 'port']),
    variable: 'POSTHORN_RABBITMQ_PORT',
  },
  rabbitmqDistribution: free('the RabbitMQ node', [servers.rabbitmq, 'distribution']),
  rabbitmqEpmd: free('epmd', [servers.rabbitmq, 'epmd']),
  rabbitmqManagement: free('the management API of RabbitMQ', [servers.rabbitmq, 'management']),
} satisfies Record<string, PortUse>

type PortName = keyof typeof uses
/** Processes whose port serves more than health and metrics, with the use of their port. */
const mainPorts: Readonly<Record<string, PortName>> = { 'api-gateway': 'api', 'admin-ui': 'admin' }

/** Ports of the API, the IMAP and SMTP proxies and the servers of a local system, by use. */
export type SystemPorts = Record<PortName, number>

export interface SystemPortsOptions {
  /** Directory of the files of the local system. */
  dir: string
  /** Ports that environment variables set for the local system. */
  wanted: Partial<SystemPorts>
  /**
   * Lowest port to choose for the API. If `apiFrom` is set, an occupied port of an earlier start is
   * replaced.
   */
  apiFrom?: number | undefined
  reservations: PortReservations
  /** Names of the processes that have a port for health and metrics. */
  processes: readonly string[]
  /** Listen address of the API and of the IMAP and SMTP proxies of the local system. */
  bind: string
}

/** Ports that were chosen for a local system. */
export interface AllocatedPorts {
  ports: SystemPorts
  /**
   * Ports by process name. The port of api-gateway serves the API, the port of admin-ui serves the
   * administration pages. All ports serve health and metrics.
   */
  health: Record<string, number>
}

/** Distance of the port of the administration pages (3008) from the port of the API (3000). */
const adminOffset = 8

/**
 * Chooses all ports of a local system before its first server starts. Ports of an earlier start are
 * reused.
 *
 * @throws Error that names the port and the remedy if another process has a port that must not
 * change
 */
export async function allocateSystemPorts(options: SystemPortsOptions): Promise<AllocatedPorts> {
  const { dir, wanted, apiFrom, processes, bind, reservations } = options
  const states: Record<string, Record<string, unknown>> = {}
  for (const file of [systemFile, ...Object.values(servers)])
    states[file] = await readState(join(dir, file))
  const storedHealth = (states[systemFile]?.['health'] ?? {}) as Record<string, unknown>
  const requests: Record<string, PortRequest> = {}
  for (const [name, { stored, ...use }] of Object.entries<PortUse>(uses)) {
    const [file, key] = stored
    requests[name] = {
      ...use,
      wanted: wanted[name as PortName],
      stored: portOf(states[file]?.[key]),
      ...(apiFrom !== undefined && lowestPort(name, apiFrom)),
    }
  }
  const healthName = (name: string) => `health of ${name}`
  for (const name of processes.filter((each) => !(each in mainPorts)))
    requests[healthName(name)] = {
      use: healthName(name),
      stored: portOf(storedHealth[name]),
      isFixed: false,
    }
  const take = async (port: number) =>
    (await isFree(port)) &&
    (bind === '127.0.0.1' || (await isFree(port, bind))) &&
    (await reservations.take(port))
  const takeAny = async (from: number | undefined) => {
    for (let lowest = from; ;) {
      const port = lowest === undefined ? await freePort() : await freePortFrom(lowest)
      if (await take(port)) return port
      if (lowest !== undefined) lowest = port + 1
    }
  }
  const chosen = await choosePorts(requests, { take, takeAny })
  const health = processes.map((name) => [name, chosen[mainPorts[name] ?? healthName(name)]])
  const ports = Object.keys(uses).map((name) => [name, chosen[name]])
  return {
    ports: Object.fromEntries(ports) as SystemPorts,
    health: Object.fromEntries(health) as Record<string, number>,
  }
}

/** Lowest port of the API or of the administration pages, which may replace an occupied port. */
function lowestPort(
  name: string,
  apiFrom: number,
): Pick<PortRequest, 'from' | 'isFixed'> | undefined {
  if (name === 'api') return { from: apiFrom, isFixed: false }
  return name === 'admin' ? { from: apiFrom + adminOffset, isFixed: false } : undefined
}

function portOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

function fixed(use: string, variable: string, stored: PortUse['stored']): PortUse {
  return { use, variable, stored, isFixed: true }
}

function free(use: string, stored: PortUse['stored']): PortUse {
  return { use, stored, isFixed: false }
}
