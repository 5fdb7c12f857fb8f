import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { launch } from '@posthorn/local/process/launch'
import { manageServer, waitUntilReady } from '@posthorn/local/process/managed-server'
import { docker, hasProgram, pipeline } from './docker.ts'

/** Container engine on this machine. */
export interface Engine extends AsyncDisposable {
  /** Address of the container engine, as in the variable DOCKER_HOST. */
  host: string
  /** True if the container engine was started for this test run and has no images of other runs. */
  isPrivate: boolean
}

/** Error that contains the reason why no container engine can be started on this machine. */
export class EngineUnavailableError extends Error {}

const requiredPrograms = { docker: 'docker.io', mmdebstrap: 'mmdebstrap', tar: 'tar' }

/**
 * Returns the container engine of DOCKER_HOST or of Docker's usual socket. Without such an engine,
 * starts a private engine with its data in `dir`. Disposal ends a private engine.
 *
 * @throws EngineUnavailableError
 */
export async function openEngine(dir: string): Promise<Engine> {
  for (const [program, debianPackage] of Object.entries(requiredPrograms))
    if (!(await hasProgram(program)))
      throw new EngineUnavailableError(`${program} not found, install the package ${debianPackage}`)
  const host = process.env['DOCKER_HOST'] || 'unix:///var/run/docker.sock'
  const problem = await problemOf(host)
  if (problem === undefined)
    return { host, isPrivate: false, [Symbol.asyncDispose]: () => Promise.resolve() }
  if (process.env['DOCKER_HOST']) throw new EngineUnavailableError(`DOCKER_HOST: ${problem}`)
  if (process.getuid?.() !== 0)
    throw new EngineUnavailableError(`${problem}, and only root can start a private one`)
  if (!(await hasProgram('dockerd')))
    throw new EngineUnavailableError('dockerd not found, install the package docker.io')
  return startEngine(dir)
}

/**
 * Reason why the containers of a container engine cannot be used. Undefined if they can be used.
 */
async function problemOf(host: string): Promise<string | undefined> {
  try {
    const name = await docker('--host', host, 'info', '--format', '{{.Name}}')
    // The engine must run on this machine: if this process is in a container with the socket of its
    // machine, mapped ports are not on localhost.
    return name === hostname() ? undefined : `the engine at ${host} runs on the machine ${name}`
  } catch {
    return `no engine at ${host}`
  }
}

/**
 * Starts a container engine with its data in `dir` and its sockets below /run. Containers of this
 * engine reach only each other and this machine. Builds use the network of this machine. The packet
 * filter rules of this engine permit traffic between containers, which rules of another engine may
 * forbid.
 */
async function startEngine(dir: string): Promise<Engine> {
  // The path is short, because paths of sockets are limited to 107 bytes (unix(7)). The next run in
  // this checkout uses the same path and stops containers that a killed run left behind.
  const run = `/run/posthorn-${createHash('sha256').update(dir).digest('hex').slice(0, 12)}`
  await mkdir(run, { recursive: true, mode: 0o700 })
  await mkdir(dir, { recursive: true })
  await writeFile(join(run, 'daemon.json'), '{}')
  const host = `unix://${run}/docker.sock`
  const server = await manageServer(async () => {
    const engine = await launch({
      command: 'dockerd',
      args: [
        `--config-file=${run}/daemon.json`,
        `--data-root=${dir}/data`,
        `--exec-root=${run}/exec`,
        `--pidfile=${run}/pid`,
        `--host=${host}`,
        '--bridge=none',
        '--ip-forward=false',
        '--ip=127.0.0.1',
      ],
      logFile: join(dir, 'dockerd.log'),
    })
    await waitUntilReady({ name: 'dockerd', process: engine }, async () => {
      await docker('--host', host, 'version')
    })
    return [engine]
  }).catch((cause: unknown) => {
    const lines = String(cause).trimEnd().split('\n')
    throw new EngineUnavailableError(`dockerd did not start: ${lines.at(-1)}`, { cause })
  })
  return {
    host,
    isPrivate: true,
    async [Symbol.asyncDispose]() {
      await killContainers(host)
      await server.stop()
      // A stopped engine leaves the network namespaces of builds mounted. A killed engine also
      // leaves its data directory mounted.
      const unmount = 'umount "$1"/exec/netns/* "$2" 2>/dev/null || true'
      await pipeline(`${unmount}; rm -rf "$1"`, run, `${dir}/data`)
    },
  }
}

/**
 * Kills the containers that failed tests left behind. Without this step, the engine waits 10 s for
 * each container when it is stopped.
 */
async function killContainers(host: string): Promise<void> {
  const running = await docker('--host', host, 'ps', '--quiet')
  if (running !== '') await docker('--host', host, 'kill', ...running.split('\n'))
}
