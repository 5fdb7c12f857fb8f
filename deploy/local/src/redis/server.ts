import { once } from 'node:events'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { selfSigned } from '../files/certificate.ts'
import { launch } from '../process/launch.ts'
import { manageServer, type ManagedServer, waitUntilReady } from '../process/managed-server.ts'
import { freePort } from '../process/ports.ts'
import { findRedis } from './program.ts'

export interface RedisOptions {
  /** Directory of the certificate and log of Redis. */
  dir: string
  /** Directory of downloaded Debian packages, shared by all test servers. */
  cache: string
}

export interface Redis extends ManagedServer {
  /** URL of Redis without TLS. No login is required. */
  readonly url: string
  /** URL of Redis with TLS. */
  readonly tlsUrl: string
  /** Certificate of Redis in PEM format. */
  readonly cert: string
  /** Stops Redis and deletes its files. */
  destroy(): Promise<void>
}

/**
 * Starts Redis for tests of the import from EmailEngine. Redis keeps its data in memory only: a
 * restart deletes the data.
 */
export async function startRedis({ dir, cache }: RedisOptions): Promise<Redis> {
  const program = await findRedis(cache)
  await mkdir(dir, { recursive: true })
  const { key, cert } = selfSigned(['localhost', '127.0.0.1'])
  await writeFile(join(dir, 'tls.key'), key, { mode: 0o600 })
  await writeFile(join(dir, 'tls.crt'), cert)
  const port = await freePort()
  const tlsPort = await freePort()
  const options = {
    bind: '127.0.0.1',
    port,
    dir,
    save: '',
    'tls-port': tlsPort,
    'tls-auth-clients': 'no',
    'tls-key-file': join(dir, 'tls.key'),
    'tls-cert-file': join(dir, 'tls.crt'),
  }
  const server = await manageServer(async () => {
    const running = await launch({
      command: program.command,
      args: [
        ...program.args,
        ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]),
      ],
      env: { PATH: '/usr/bin:/bin' },
      cwd: '/',
      logFile: join(dir, 'redis.log'),
      name: 'redis',
    })
    await waitUntilReady({ name: 'Redis', process: running }, () => expectPong(port))
    return [running]
  })
  return Object.assign(server, {
    url: `redis://127.0.0.1:${port}`,
    tlsUrl: `rediss://127.0.0.1:${tlsPort}`,
    cert,
    async destroy() {
      await server.stop()
      await rm(dir, { recursive: true, force: true })
    },
  })
}

async function expectPong(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  try {
    socket.write('PING\r\n')
    const [bytes] = (await once(socket, 'data', { signal: AbortSignal.timeout(2_000) })) as [Buffer]
    if (!String(bytes).startsWith('+PONG')) throw new Error(`Redis replied ${String(bytes)}`)
  } finally {
    socket.destroy()
  }
}
