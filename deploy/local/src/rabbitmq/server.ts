import { mkdir, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { manageServer, type ManagedServer, waitUntilReady } from '../process/managed-server.ts'
import { freePorts } from '../process/ports.ts'
import { launch, type ServerProcess } from '../process/launch.ts'
import {
  closeConnections,
  dropVhost,
  grantServices,
  listVhosts,
  createVhost,
  type RabbitAddress,
} from './management-api.ts'
import { findRabbit, type RabbitProgram } from './program.ts'
import { randomPassword, loadOrCreateState } from '../files/state-file.ts'

export interface RabbitOptions {
  /**
   * Directory of the ports, password, log and data of the RabbitMQ node. The next start of the node
   * uses the directory again.
   */
  dir: string
  /** Directory of downloaded Debian packages, shared by all test servers. */
  cache: string
  /** Fixed ports of the RabbitMQ node. Defaults to free ports. */
  ports?: Partial<RabbitPorts>
  /**
   * File to which the processes of RabbitMQ are recorded. If the file is given, the processes of
   * RabbitMQ outlive this process.
   */
  record?: string | undefined
}

export interface Rabbit extends ManagedServer, RabbitAddress {
  readonly port: number
  /** Creates a virtual host unless it exists. Returns the AMQP URL of the virtual host. */
  vhost(name: string): Promise<string>
  dropVhost(name: string): Promise<void>
  /**
   * Grants the services access to a virtual host, each with its own RabbitMQ user. `wipe` grants
   * the access again after it has deleted the data.
   */
  grantServices(vhost: string): Promise<void>
  closeConnections(vhost: string): Promise<number>
  /**
   * Stops the RabbitMQ server, deletes its data and starts it again. The ports, the administrator
   * and the (empty) virtual hosts are then as before.
   */
  wipe(): Promise<void>
  /** Stops the RabbitMQ server and deletes its data. */
  destroy(): Promise<void>
}

/** Ports of a RabbitMQ node: AMQP, connections of other nodes, name service and management API. */
export interface RabbitPorts {
  port: number
  distribution: number
  epmd: number
  management: number
}

interface State extends RabbitPorts {
  password: string
  cookie: string
}

/**
 * Starts a private RabbitMQ node on loopback, independent of an installed node. The node has its
 * own ports, cookie and name service (epmd). Its management plugin creates virtual hosts in
 * milliseconds, while the program rabbitmqctl takes seconds.
 */
export async function startRabbit(options: RabbitOptions): Promise<Rabbit> {
  const { dir, cache, record } = options
  const program = await findRabbit(cache)
  await mkdir(dir, { recursive: true })
  const state = await loadOrCreateState<State>(
    join(dir, 'rabbitmq.json'),
    createState,
    options.ports,
  )
  const address: RabbitAddress = {
    amqp: `amqp://posthorn:${state.password}@127.0.0.1:${state.port}`,
    api: `http://posthorn:${state.password}@127.0.0.1:${state.management}`,
  }
  const node: NodeOptions = { dir, state, program, record, address }
  const server = await manageServer(() => startNode(node))
  const createdVhosts = new Set<string>()
  const grantedVhosts = new Set<string>()
  return Object.assign(server, {
    ...address,
    port: state.port,
    vhost(name: string) {
      createdVhosts.add(name)
      return createVhost(address, name)
    },
    dropVhost(name: string) {
      createdVhosts.delete(name)
      return dropVhost(address, name)
    },
    grantServices(vhost: string) {
      grantedVhosts.add(vhost)
      return grantServices(address, vhost)
    },
    closeConnections: (vhost: string) => closeConnections(address, vhost),
    async wipe() {
      // A dead RabbitMQ node cannot list its virtual hosts. If the node is dead, only the virtual
      // hosts that this process created are created again.
      const vhosts = await listVhosts(address).catch(() => [...createdVhosts])
      await server.stop()
      await rm(join(dir, 'data'), { recursive: true, force: true })
      await server.restart()
      for (const vhost of vhosts) await createVhost(address, vhost)
      for (const vhost of grantedVhosts) await grantServices(address, vhost)
    },
    async destroy() {
      await server.stop()
      await rm(dir, { recursive: true, force: true })
    },
  })
}

interface NodeOptions {
  dir: string
  state: State
  program: RabbitProgram
  record?: string | undefined
  address: RabbitAddress
}

async function createState(): Promise<State> {
  return {
    ...(await freePorts('port', 'distribution', 'epmd', 'management')),
    password: randomPassword(),
    cookie: randomPassword(),
  }
}

async function startNode(node: NodeOptions): Promise<ServerProcess[]> {
  const { dir, state, program, record, address } = node
  await writeFiles(node)
  const env = environment(node)
  // Starts Erlang's name service (epmd) as a process that can be stopped. Without a running epmd,
  // Erlang would start a daemon that never ends.
  const epmd = await launch({
    command: program.erlang ? join(program.erlang, 'epmd') : 'epmd',
    args: ['-port', String(state.epmd), '-address', '127.0.0.1'],
    env,
    cwd: dir,
    logFile: join(dir, 'epmd.log'),
    record,
    name: 'epmd',
  })
  await waitUntilReady({ name: "RabbitMQ's epmd", process: epmd, timeoutMs: 10_000 }, () =>
    expectConnection(state.epmd),
  )
  const broker = await launch({
    command: join(program.sbin, 'rabbitmq-server'),
    args: [],
    env,
    cwd: dir,
    logFile: join(dir, 'rabbitmq.log'),
    record,
    name: 'rabbitmq',
  })
  try {
    await waitUntilReady({ name: 'RabbitMQ', process: broker, timeoutMs: 120_000 }, async () => {
      await expectConnection(state.port)
      await listVhosts(address)
    })
  } catch (error) {
    process.kill(epmd.id.pid)
    throw error
  }
  return [broker, epmd]
}

async function expectConnection(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(2_000) })
  } finally {
    socket.destroy()
  }
}

async function writeFiles({ dir, state }: NodeOptions): Promise<void> {
  for (const folder of ['data', 'log', 'home']) await mkdir(join(dir, folder), { recursive: true })
  await writeFile(join(dir, 'enabled_plugins'), '[rabbitmq_management].\n')
  await rm(join(dir, 'home/.erlang.cookie'), { force: true })
  await writeFile(join(dir, 'home/.erlang.cookie'), state.cookie, { mode: 0o400 })
  const settings = {
    'listeners.tcp.default': `127.0.0.1:${state.port}`,
    'management.tcp.ip': '127.0.0.1',
    'management.tcp.port': state.management,
    // RabbitMQ's management plugin collects no statistics, which makes the plugin cheap. Only the
    // API of the plugin is used.
    'management_agent.disable_metrics_collector': true,
    default_user: 'posthorn',
    default_pass: state.password,
    loopback_users: 'none',
    'disk_free_limit.absolute': '64MB',
    'vm_memory_high_watermark.absolute': '1GB',
    'log.console': false,
    'log.file.level': 'warning',
  }
  const text = Object.entries(settings).map(([key, value]) => `${key} = ${value}\n`)
  await writeFile(join(dir, 'rabbitmq.conf'), text.join(''), { mode: 0o600 })
}

function environment({ dir, state, program }: NodeOptions): Record<string, string> {
  const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
  return {
    PATH: program.erlang ? `${program.erlang}:${systemPath}` : systemPath,
    HOME: join(dir, 'home'),
    LC_ALL: 'C.UTF-8',
    // Environment variable that systemd usually sets. If it is set, the start script of RabbitMQ
    // replaces itself with the broker process.
    RUNNING_UNDER_SYSTEMD: 'true',
    ERL_EPMD_PORT: String(state.epmd),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_NODENAME: 'mq@localhost',
    RABBITMQ_DIST_PORT: String(state.distribution),
    RABBITMQ_CONF_ENV_FILE: '/dev/null',
    RABBITMQ_CONFIG_FILE: join(dir, 'rabbitmq'),
    RABBITMQ_ADVANCED_CONFIG_FILE: join(dir, 'none'),
    RABBITMQ_MNESIA_BASE: join(dir, 'data'),
    RABBITMQ_LOG_BASE: join(dir, 'log'),
    RABBITMQ_PID_FILE: join(dir, 'pid'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(dir, 'enabled_plugins'),
    RABBITMQ_GENERATED_CONFIG_DIR: join(dir, 'data/config'),
    RABBITMQ_SCHEMA_DIR: join(dir, 'data/schema'),
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS:
      '-kernel inet_dist_use_interface {127,0,0,1} +sbwt none +sbwtdcpu none +sbwtdio none +S 2:2',
  }
}
