import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { launch } from '../process/launch.ts'
import { manageServer, type ManagedServer, waitUntilReady } from '../process/managed-server.ts'
import { checkout, localDirectory } from '../paths.ts'
import { freePort } from '../process/ports.ts'
import { coreServices, type ServiceName } from '../role-passwords.ts'
import { clientHost, serviceEnv, serviceHost, type SharedConfig } from './service-env.ts'

export interface ServicesOptions {
  shared: SharedConfig
  /**
   * Names of the Posthorn services to start as processes. Defaults to the services that every
   * installation runs.
   */
  names?: readonly ServiceName[]
  logDir: string
  /**
   * Number of processes per service. Defaults to 1. The second process of the service sender is
   * named `sender-2`.
   */
  replicas?: Partial<Record<ServiceName, number>>
  /** Fixed ports of the services by process name. Processes without an entry get free ports. */
  ports?: Readonly<Record<string, number>>
  /**
   * File to which the processes of the services are recorded. If the file is given, the services
   * outlive this process.
   */
  record?: string | undefined
  /**
   * Maximum startup time of a service. Defaults to 3 min, because a busy machine starts many
   * processes slowly.
   */
  readyMs?: number
  /**
   * Folder that `make build` wrote. The services run from this folder instead of from their
   * sources.
   */
  bundle?: string | undefined
}

export interface Services {
  /**
   * Ports by process name. The port of api-gateway serves the API, health and metrics, all other
   * ports serve health and metrics. The ports stay the same after a restart.
   */
  readonly ports: Readonly<Record<string, number>>
  /** Base URLs of the services by process name, such as `http://127.0.0.1:3000`. */
  readonly urls: Readonly<Record<string, string>>
  readonly pids: Readonly<Record<string, number>>
  /** Returns the service process with the given name, such as `sender-2`. */
  get(name: string): ManagedServer
  /** Sends SIGTERM to the process of a service and waits for its end. */
  stop(name: string): Promise<void>
  kill(name: string): Promise<void>
  /**
   * Starts a stopped or killed process of a service. `bundle` names another folder of `make build`
   * to run. Resolves when the process is ready.
   */
  start(name: string, bundle?: string): Promise<void>
  stopAll(): Promise<void>
}

/**
 * Starts the services as processes. Resolves when all processes are ready. If a process fails, all
 * other processes are stopped, and the error contains the end of the failed process's log.
 */
export async function startServices(options: ServicesOptions): Promise<Services> {
  const { names = coreServices, replicas = {}, logDir } = options
  await mkdir(logDir, { recursive: true })
  const instances = listProcesses(names, replicas)
  const bundles: Record<string, string | undefined> = {}
  for (const { name } of instances) bundles[name] = options.bundle
  const ports: Record<string, number> = {}
  for (const { name } of instances) ports[name] = options.ports?.[name] ?? (await freePort())
  const results = await Promise.allSettled(
    instances.map(
      async ({ service, name }) =>
        [
          name,
          await startService(service, { ...options, name, port: ports[name] ?? 0, bundles }),
        ] as const,
    ),
  )
  const running = new Map(
    results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])),
  )
  const stopAll = async () =>
    void (await Promise.all([...running.values()].map((life) => life.stop())))
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) {
    await stopAll()
    throw failed.reason
  }
  const get = (name: string) => {
    const life = running.get(name)
    if (!life)
      throw new Error(`unknown service ${name}, started are ${[...running.keys()].join(', ')}`)
    return life
  }
  const urls = urlsOf(instances, ports, options.shared)
  await untilAllReady(running, { urls, readyMs: options.readyMs }).catch(async (error: unknown) => {
    await stopAll()
    throw error
  })
  return {
    ports,
    urls,
    get pids() {
      return Object.fromEntries([...running].map(([name, life]) => [name, life.pid]))
    },
    get,
    stop: (name) => get(name).stop(),
    kill: (name) => get(name).kill(),
    start(name, bundle) {
      const life = get(name)
      bundles[name] = bundle ?? bundles[name]
      return life.restart()
    },
    stopAll,
  }
}

/** Lists the processes of the services with their names. */
export function listProcesses(
  names: readonly ServiceName[],
  replicas: Partial<Record<ServiceName, number>>,
): { service: ServiceName; name: string }[] {
  return names.flatMap((service) =>
    Array.from({ length: replicas[service] ?? 1 }, (_, index) => ({
      service,
      name: index === 0 ? service : `${service}-${index + 1}`,
    })),
  )
}

const defaultReadyMs = 180_000

/** Base URLs of the services by process name. */
function urlsOf(
  instances: readonly { service: ServiceName; name: string }[],
  ports: Readonly<Record<string, number>>,
  shared: SharedConfig,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    instances.map(({ service, name }) => [name, urlOf(service, ports[name] ?? 0, shared)]),
  )
}

/**
 * Waits until all processes of the services are ready at the same time. An IMAP or SMTP proxy that
 * was ready can become unready when api-gateway starts: api-gateway applies settings, which open
 * the proxy's listener.
 */
async function untilAllReady(
  running: ReadonlyMap<string, ManagedServer>,
  { urls, readyMs = defaultReadyMs }: Pick<Services, 'urls'> & { readyMs: number | undefined },
): Promise<void> {
  await Promise.all(
    [...running].map(async ([name, { processes }]) => {
      const [main] = processes
      const check = () => expectReady(urls[name] ?? '')
      if (main) await waitUntilReady({ name, process: main, timeoutMs: readyMs }, check)
    }),
  )
}

/** Directory of Node's compile cache, which makes later starts faster. */
const compileCache = join(localDirectory, 'compile-cache')

interface Instance extends Omit<ServicesOptions, 'bundle'> {
  name: string
  port: number
  /**
   * Folders of `make build` by process name. Each start of a process reads its folder from here.
   */
  bundles: Readonly<Record<string, string | undefined>>
}

function startService(
  service: ServiceName,
  { shared, name, port, logDir, record, bundles, readyMs = defaultReadyMs }: Instance,
): Promise<ManagedServer> {
  const env = { NODE_COMPILE_CACHE: compileCache, ...serviceEnv(service, port, shared) }
  return manageServer(async () => {
    const bundle = bundles[name]
    const running = await launch({
      command: process.execPath,
      ...(bundle === undefined ? runSources(service) : runBundle(service, bundle)),
      env,
      logFile: join(logDir, `${name}.log`),
      record,
      name: `service ${name}`,
    })
    await waitUntilReady({ name, process: running, timeoutMs: readyMs }, () =>
      expectReady(urlOf(service, port, shared)),
    )
    return [running]
  })
}

function runSources(service: ServiceName): { args: string[]; cwd: string } {
  return {
    args: ['--import', '@posthorn/telemetry/register', 'src/main.ts'],
    cwd: join(checkout, 'services', service),
  }
}

function runBundle(service: ServiceName, bundle: string): { args: string[]; cwd: string } {
  return { args: [join(bundle, 'posthorn.js'), service], cwd: bundle }
}

function urlOf(service: ServiceName, port: number, shared: SharedConfig): string {
  return `http://${clientHost(serviceHost(service, shared))}:${port}`
}

async function expectReady(url: string): Promise<void> {
  const response = await fetch(`${url}/health/ready`, {
    signal: AbortSignal.timeout(3_000),
  })
  if (!response.ok) throw new Error(`not ready: ${(await response.text()).slice(0, 300)}`)
}
