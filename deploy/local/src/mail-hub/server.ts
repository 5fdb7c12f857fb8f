import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { manageServer, type ManagedServer, waitUntilReady } from '../process/managed-server.ts'
import type { AcceptedMessage, MailHubOptions } from './smtp.ts'
import { freePort } from '../process/ports.ts'
import { launch } from '../process/launch.ts'
import { loadOrCreateState } from '../files/state-file.ts'

export type { AcceptedMessage } from './smtp.ts'

export interface StartMailHubOptions {
  /**
   * Directory of the ports and log of the mail hub (test server for outgoing mail). The next start
   * of the mail hub uses the directory again.
   */
  dir: string
  /** SMTP port of the mail hub (test server), to which Dovecot relays submitted mail. */
  port: number
  /** LMTP port of the mail server that receives mail for addresses at mail.test. */
  lmtpPort: number
  /** Fixed HTTP port at which the mail hub lists its accepted messages. Defaults to a free port. */
  controlPort?: number | undefined
  /**
   * File that records the process of the mail hub. With a record, the mail hub outlives this
   * process.
   */
  record?: string | undefined
}

/** Port and URL of a mail hub (test server for outgoing mail), which may run in another process. */
export interface MailHubAddress {
  host: string
  port: number
  /** HTTP URL at which the mail hub (test SMTP server) lists its accepted messages. */
  control: string
}

export interface MailHub extends ManagedServer, MailHubAddress {
  /**
   * Port and URL of the mail hub (test SMTP server) as plain data, to be passed to another process.
   */
  readonly address: MailHubAddress
  /**
   * Lists the messages that the mail hub accepted, oldest first. If `messageId` is given, only
   * messages with this Message-ID.
   */
  accepted(messageId?: string): Promise<AcceptedMessage[]>
}

/** Starts the mail hub, the SMTP test server of smtp.ts, as a separate process. */
export async function startMailHub({
  dir,
  port,
  lmtpPort,
  record,
  controlPort: wanted,
}: StartMailHubOptions): Promise<MailHub> {
  await mkdir(dir, { recursive: true })
  const { controlPort } = await loadOrCreateState(
    join(dir, 'mail-hub.json'),
    async () => ({ controlPort: await freePort() }),
    wanted === undefined ? {} : { controlPort: wanted },
  )
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
  const address: MailHubAddress = { host: '127.0.0.1', port, control }
  return Object.assign(server, address, {
    address,
    accepted: (messageId?: string) => listAcceptedMessages(control, messageId),
  })
}

/** Requests the list of accepted messages from a mail hub (test SMTP server). */
export async function listAcceptedMessages(
  control: string,
  messageId?: string,
): Promise<AcceptedMessage[]> {
  const url = new URL('/messages', control)
  if (messageId !== undefined) url.searchParams.set('id', messageId)
  const response = await fetch(url, { signal: AbortSignal.timeout(5_000) })
  return (await response.json()) as AcceptedMessage[]
}
