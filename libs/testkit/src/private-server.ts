import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A server started for this process because no address was configured. */
export interface PrivateServer {
  destroy(): Promise<void>
}

/** Reference-counted server: started for the first user, destroyed after the last one. */
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

/** Creates an empty directory that servers of any user may use. */
export async function createServerDirectory(name: string): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), `posthorn-test-${name}-`))
  await chmod(dir, 0o755) // As root, servers run as another user.
  return dir
}
