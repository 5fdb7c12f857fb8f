import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fillTemplate } from '../files/template.ts'
import { launch } from '../process/launch.ts'
import { manageServer, waitUntilReady } from '../process/managed-server.ts'
import { freePort } from '../process/ports.ts'
import { findHaproxy } from './program.ts'

const template = join(import.meta.dirname, '../../../haproxy/haproxy.cfg.in')

export interface HaproxyOptions {
  /** Directory of the configuration and log of haproxy. */
  dir: string
  /** Directory of downloaded Debian packages, shared by all test servers. */
  cache: string
  /** Ports of the api-gateway replicas on this machine, to which haproxy passes requests. */
  replicas: readonly number[]
}

export interface Haproxy extends AsyncDisposable {
  /** Base URL of the API at the load balancer. */
  readonly url: string
}

/**
 * Starts haproxy as a load balancer. haproxy passes requests to the api-gateway replicas that are
 * ready.
 */
export async function startHaproxy({ dir, cache, replicas }: HaproxyOptions): Promise<Haproxy> {
  const program = await findHaproxy(cache)
  await mkdir(dir, { recursive: true })
  const port = await freePort()
  const servers = replicas.map((replica, at) => `server replica-${at} 127.0.0.1:${replica}`)
  const config = join(dir, 'haproxy.cfg')
  await fillTemplate(template, config, { PORT: String(port), SERVERS: servers.join('\n  ') })
  const url = `http://127.0.0.1:${port}`
  const server = await manageServer(async () => {
    const running = await launch({
      command: program.command,
      args: [...program.args, '-db', '-f', config],
      env: { PATH: '/usr/bin:/bin' },
      cwd: '/',
      logFile: join(dir, 'haproxy.log'),
      name: 'haproxy',
      // At SIGUSR1, haproxy would wait until its clients have disconnected.
      signal: 'SIGINT',
    })
    await waitUntilReady({ name: 'haproxy', process: running }, async () => {
      const { ok } = await fetch(`${url}/health/ready`)
      if (!ok) throw new Error('no replica is ready')
    })
    return [running]
  })
  return { url, [Symbol.asyncDispose]: () => server.stop() }
}
