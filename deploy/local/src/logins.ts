import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { launch, type Running } from './launch.ts'
import { untilReady } from './life.ts'
import type { LoginsOptions } from './logins-server.ts'

export interface StartLogins extends LoginsOptions {
  dir: string
  /** What its process and its log are called. */
  name: string
  record?: string | undefined
}

/** Answers to a server's questions about passwords, for servers that keep no users: a process that speaks as saslauthd does. */
export async function startLogins({
  dir,
  name,
  record,
  socket,
  password,
}: StartLogins): Promise<Running> {
  const running = await launch({
    command: process.execPath,
    args: [join(import.meta.dirname, 'logins-main.ts'), JSON.stringify({ socket, password })],
    env: { PATH: '/usr/bin:/bin' },
    cwd: dir,
    logFile: join(dir, `${name}.log`),
    record,
    name,
  })
  await untilReady({ what: name, running }, () => access(socket))
  return running
}
