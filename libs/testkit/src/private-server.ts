import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A server that this process starts for itself when nobody gave it an address. */
export interface PrivateServer {
  destroy(): Promise<void>
}

/** Counts who uses a server: it is started for the first and removed after the last. */
export function sharedServer<T extends PrivateServer>(
  name: string,
  start: (dir: string) => Promise<T>,
) {
  let users = 0
  let server: Promise<T> | undefined
  return {
    async use(): Promise<T> {
      users++
      server ??= createServerDirectory(name).then(start)
      return server
    },
    async release(): Promise<void> {
      users--
      if (users > 0) return
      const last = server
      server = undefined
      await (await last)?.destroy()
    },
  }
}

/** An empty folder that servers may use, whoever they run as. */
export async function createServerDirectory(name: string): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), `posthorn-test-${name}-`))
  await chmod(dir, 0o755) // servers may run as another user than we
  return dir
}
