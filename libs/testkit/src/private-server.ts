import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cacheDirectory } from '@posthorn/local/paths'

/** Directory of a test server for its data, and directory of downloaded packages. */
export interface ServerDirectories {
  dir: string
  cache: string
}

/** Server that was started for this test process, because no address was configured. */
export interface PrivateServer<Address> {
  address: Address
  destroy: () => Promise<void>
}

/**
 * Address of a test server, and a function that ends its use. A private server is destroyed after
 * its last use.
 */
export interface ServerUse<Address> {
  address: Address
  drop: () => Promise<void>
}

/**
 * Returns a function that resolves with the address of a server: of the configured server, or of a
 * private server that is shared within this process.
 */
export function sharedServer<Address>(
  name: string,
  configured: () => Address | undefined,
  start: (directories: ServerDirectories) => Promise<PrivateServer<Address>>,
): () => Promise<ServerUse<Address>> {
  let users = 0
  let server: Promise<PrivateServer<Address>> | undefined
  return async () => {
    const existing = configured()
    if (existing !== undefined) return { address: existing, drop: async () => undefined }
    users++
    server ??= serverDirectories(name).then(start)
    const { address } = await server
    return {
      address,
      async drop() {
        users--
        if (users > 0) return
        const last = server
        server = undefined
        await (await last)?.destroy()
      },
    }
  }
}

/** Creates an empty directory that test servers may use with any user of the operating system. */
export async function serverDirectories(name: string): Promise<ServerDirectories> {
  const dir = await mkdtemp(join(tmpdir(), `posthorn-test-${name}-`))
  await chmod(dir, 0o755) // when the tests run as root, test servers run as another user
  return { dir, cache: cacheDirectory(process.env) }
}

/** Parses the server address in an environment variable such as TEST_CYRUS. */
export function addressIn<Address>(variable: string): Address | undefined {
  const json = process.env[variable]
  return json ? (JSON.parse(json) as Address) : undefined
}

/** True if the tests with a test server are switched off, for example with TEST_CYRUS=off. */
export function isSwitchedOff(
  variable: 'TEST_CYRUS' | 'TEST_PGBOUNCER' | 'TEST_POSTFIX' | 'TEST_OPENSMTPD',
): boolean {
  return process.env[variable] === 'off'
}
