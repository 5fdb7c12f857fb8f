import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { launch } from '../process/launch.ts'
import { manageServer, type ManagedServer, waitUntilReady } from '../process/managed-server.ts'
import { checkout, localDirectory } from '../paths.ts'
import { freePort } from '../process/ports.ts'
import { serviceNames, type ServiceName } from '../role-passwords.ts'
import { clientHost, serviceEnv, serviceHost, type SharedConfig } from './service-env.ts'

export interface ServicesOptions {
  shared: SharedConfig
  /** Default: all seven. */
  names?: readonly ServiceName[]
  logDir: string
  /** How many processes of each; default 1. The second sender is called `sender-2`. */
  replicas?: Partial<Record<ServiceName, number>>
  /** Ports that must be these; the others are free ones. */
  ports?: Readonly<Record<string, number>>
  /** Where to note their processes; they then go on when we end. */
  record?: string | undefined
  /** How long one may take to be ready; default 60 s. */
  readyMs?: number
}

export interface Services {
  /** Where health and metrics are, for api-gateway the API too, by name. The same after a restart. */
  readonly ports: Readonly<Record<string, number>>
  /** The same as addresses: `http://127.0.0.1:3000`. */
  readonly urls: Readonly<Record<string, string>>
  readonly pids: Readonly<Record<string, number>>
  /** One process, by name: stop, kill, pause, restart it. */
  get(name: string): ManagedServer
  /** In good order: SIGTERM, then waits. */
  stop(name: string): Promise<void>
  kill(name: string): Promise<void>
  /** Starts one that was stopped or killed. Resolves when it is ready. */
  start(name: string): Promise<void>
  stopAll(): Promise<void>
}

/**
 * Starts services as processes and resolves when all of them are ready. If one ends or is not ready in time, the others are stopped
 * and the end of its log is in the error.
 */
export async function startServices(options: ServicesOptions): Promise<Services> {
  const { names = serviceNames, replicas = {}, logDir } = options
  await mkdir(logDir, { recursive: true })
  const instances = names.flatMap((service) =>
    Array.from({ length: replicas[service] ?? 1 }, (_, index) => ({
      service,
      name: index === 0 ? service : `${service}-${index + 1}`,
    })),
  )
  const ports: Record<string, number> = {}
  for (const { name } of instances) ports[name] = options.ports?.[name] ?? (await freePort())
  const results = await Promise.allSettled(
    instances.map(
      async ({ service, name }) =>
        [name, await startService(service, { ...options, name, port: ports[name] ?? 0 })] as const,
    ),
  )
  const lives = new Map(
    results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])),
  )
  const stopAll = async () =>
    void (await Promise.all([...lives.values()].map((life) => life.stop())))
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) {
    await stopAll()
    throw failed.reason
  }
  const get = (name: string) => {
    const life = lives.get(name)
    if (!life)
      throw new Error(`no service ${name} was started, only ${[...lives.keys()].join(', ')}`)
    return life
  }
  return {
    ports,
    urls: Object.fromEntries(
      instances.map(({ service, name }) => [
        name,
        urlOf(service, ports[name] ?? 0, options.shared),
      ]),
    ),
    get pids() {
      return Object.fromEntries([...lives].map(([name, life]) => [name, life.pid]))
    },
    get,
    stop: (name) => get(name).stop(),
    kill: (name) => get(name).kill(),
    start: (name) => get(name).restart(),
    stopAll,
  }
}

/** What node made of the sources is kept for the next start. */
const compileCache = join(localDirectory, 'compile-cache')

type Instance = ServicesOptions & { name: string; port: number }

function startService(
  service: ServiceName,
  { shared, name, port, logDir, record, readyMs = 60_000 }: Instance,
): Promise<ManagedServer> {
  const env = { NODE_COMPILE_CACHE: compileCache, ...serviceEnv(service, port, shared) }
  return manageServer(async () => {
    const running = await launch({
      command: process.execPath,
      args: ['--import', '@posthorn/telemetry/register', 'src/main.ts'],
      cwd: join(checkout, 'services', service),
      env,
      logFile: join(logDir, `${name}.log`),
      record,
      name: `service ${name}`,
    })
    await waitUntilReady({ name: name, process: running, timeoutMs: readyMs }, () =>
      expectReady(urlOf(service, port, shared)),
    )
    return [running]
  })
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
