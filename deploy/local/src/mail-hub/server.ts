import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { manageServer, type ManagedServer, waitUntilReady } from '../process/managed-server.ts'
import type { AcceptedMessage, MailHubOptions } from './smtp.ts'
import { freePort } from '../process/ports.ts'
import { launch } from '../process/launch.ts'
import { loadOrCreateState } from '../files/state-file.ts'

export type { AcceptedMessage } from './smtp.ts'

export interface StartMailHubOptions {
  /** Kept: ports and log. */
  dir: string
  /** Must be the one that Dovecot hands submitted mail to. */
  port: number
  /** Where mail for mail.test goes. */
  lmtpPort: number
  /** Where to note its process; it then goes on when we end. */
  record?: string | undefined
}

/** How to reach a hub; what a test is told of one that runs elsewhere. */
export interface MailHubAddress {
  host: string
  port: number
  /** Where it tells what it accepted. */
  control: string
}

export interface MailHub extends ManagedServer, MailHubAddress {
  /** What it accepted, of one Message-ID or all, oldest first. */
  accepted(messageId?: string): Promise<AcceptedMessage[]>
}

/** The mail hub (see mail-hub-server.ts) as a process. */
export async function startMailHub({
  dir,
  port,
  lmtpPort,
  record,
}: StartMailHubOptions): Promise<MailHub> {
  await mkdir(dir, { recursive: true })
  const { controlPort } = await loadOrCreateState(join(dir, 'mail-hub.json'), async () => ({
    controlPort: await freePort(),
  }))
  const options: MailHubOptions = { port, controlPort, bind: '127.0.0.1', lmtpPort }
  const control = `http://127.0.0.1:${controlPort}`
  const server = await manageServer(async () => {
    const running = await launch({
      command: process.execPath,
      args: [join(import.meta.dirname, 'main.ts'), JSON.stringify(options)],
      env: { PATH: '/usr/bin:/bin' },
      cwd: dir,
      logFile: join(dir, 'mail-hub.log'),
      record,
      name: 'mail-hub',
    })
    await waitUntilReady(
      { name: 'the mail hub', process: running },
      async () => void (await listAcceptedMessages(control)),
    )
    return [running]
  })
  return Object.assign(server, {
    host: '127.0.0.1',
    port,
    control,
    accepted: (messageId?: string) => listAcceptedMessages(control, messageId),
  })
}

/** Asks a hub what it accepted. */
export async function listAcceptedMessages(
  control: string,
  messageId?: string,
): Promise<AcceptedMessage[]> {
  const url = new URL('/messages', control)
  if (messageId !== undefined) url.searchParams.set('id', messageId)
  const response = await fetch(url, { signal: AbortSignal.timeout(5_000) })
  return (await response.json()) as AcceptedMessage[]
}
