import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { launch, type ServerProcess } from '../process/launch.ts'
import { waitUntilReady } from '../process/managed-server.ts'
import type { SaslauthdOptions } from './protocol.ts'

export interface StartSaslauthdOptions extends SaslauthdOptions {
  dir: string
  /** What its process and its log are called. */
  name: string
  record?: string | undefined
}

/** Answers to a server's questions about passwords, for servers that keep no users: a process that speaks as saslauthd does. */
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
  await waitUntilReady({ name: name, process: running }, () => access(socket))
  return running
}
