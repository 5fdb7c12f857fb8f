import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { begin, type Life, untilReady } from './life.ts'
import type { Accepted, MailHubOptions } from './mail-hub-server.ts'
import { freePort } from './ports.ts'
import { launch } from './launch.ts'
import { rememberState } from './state-file.ts'

export type { Accepted } from './mail-hub-server.ts'

export interface HubOptions {
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

export interface MailHub extends Life, MailHubAddress {
  /** What it accepted, of one Message-ID or all, oldest first. */
  accepted(messageId?: string): Promise<Accepted[]>
}

/** The mail hub (see mail-hub-server.ts) as a process. */
export async function startMailHub({ dir, port, lmtpPort, record }: HubOptions): Promise<MailHub> {
  await mkdir(dir, { recursive: true })
  const { controlPort } = await rememberState(join(dir, 'mail-hub.json'), async () => ({
    controlPort: await freePort(),
  }))
  const options: MailHubOptions = { port, controlPort, bind: '127.0.0.1', lmtpPort }
  const control = `http://127.0.0.1:${controlPort}`
  const life = await begin(async () => {
    const running = await launch({
      command: process.execPath,
      args: [join(import.meta.dirname, 'mail-hub-main.ts'), JSON.stringify(options)],
      env: { PATH: '/usr/bin:/bin' },
      cwd: dir,
      logFile: join(dir, 'mail-hub.log'),
      record,
      name: 'mail-hub',
    })
    await untilReady(
      { what: 'the mail hub', running },
      async () => void (await listAccepted(control)),
    )
    return [running]
  })
  return Object.assign(life, {
    host: '127.0.0.1',
    port,
    control,
    accepted: (messageId?: string) => listAccepted(control, messageId),
  })
}

/** Asks a hub what it accepted. */
export async function listAccepted(control: string, messageId?: string): Promise<Accepted[]> {
  const url = new URL('/messages', control)
  if (messageId !== undefined) url.searchParams.set('id', messageId)
  const response = await fetch(url, { signal: AbortSignal.timeout(5_000) })
  return (await response.json()) as Accepted[]
}
