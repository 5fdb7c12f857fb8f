import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { launch, type ServerProcess } from '../process/launch.ts'
import { waitUntilReady } from '../process/managed-server.ts'
import type { SaslauthdOptions } from './protocol.ts'

export interface StartSaslauthdOptions extends SaslauthdOptions {
  dir: string
  /** Name of the saslauthd process and of its log. */
  name: string
  record?: string | undefined
}

/** Starts a process that checks passwords like saslauthd, for servers without a user database. */
export async function startSaslauthd({
  dir,
  name,
  record,
  socket,
  password,
}: StartSaslauthdOptions): Promise<ServerProcess> {
  const running = await launch({
    command: process.execPath,
    args: [join(import.meta.dirname, 'main.ts'), JSON.stringify({ socket, password })],
    env: { PATH: '/usr/bin:/bin' },
    cwd: dir,
    logFile: join(dir, `${name}.log`),
    record,
    name,
  })
  await waitUntilReady({ name, process: running }, () => access(socket))
  return running
}
