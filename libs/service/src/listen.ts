import { once } from 'node:events'
import type { Server } from 'node:net'

/** Listens such that the replicas on one machine can share the port, where the system can do that (SO_REUSEPORT). */
export async function listen(
  server: Server,
  { host, port }: { host: string; port: number },
): Promise<void> {
  try {
    await attempt(server, { host, port, reusePort: true })
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (!['ENOTSUP', 'EOPNOTSUPP', 'EINVAL'].includes(code)) throw error
    await attempt(server, { host, port })
  }
}

async function attempt(
  server: Server,
  options: { host: string; port: number; reusePort?: boolean },
): Promise<void> {
  server.listen(options)
  await once(server, 'listening')
}
