import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { configureDovecot, type DovecotFeatures, type DovecotPorts } from './config.ts'
import { type DovecotProgram, findDovecot } from './program.ts'
import {
  expectGreeting,
  manageServer,
  type ManagedServer,
  waitUntilReady,
} from '../process/managed-server.ts'
import { deliver } from '../mail-hub/lmtp.ts'
import { freePorts } from '../process/ports.ts'
import { launch } from '../process/launch.ts'
import { loadOrCreateState } from '../files/state-file.ts'
import { createDataDirectory } from '../files/data-directory.ts'

export interface DovecotOptions extends DovecotFeatures {
  /**
   * Directory of the ports, log, certificate and (usually) mail of the Dovecot server. The next
   * start of the server uses the directory again.
   */
  dir: string
  /** Directory of downloaded Debian packages, shared by all test servers. */
  cache: string
  /** Fixed ports of Dovecot. Defaults to free ports. */
  ports?: Partial<DovecotPorts>
  /**
   * File to which the processes of Dovecot are recorded. If the file is given, the processes of
   * Dovecot outlive this process.
   */
  record?: string | undefined
}

/** Addresses and password of a Dovecot server, which may run in another process. */
export interface DovecotAddress {
  host: string
  imapPort: number
  imapsPort: number
  lmtpPort: number
  submissionPort: number
  /** Port of the SMTP server to which Dovecot relays submitted mail. */
  relayPort: number
  /** PEM file of the Dovecot server's self-signed certificate. */
  certPath: string
  /** Password of every user of the Dovecot server. */
  password: string
}

export interface Dovecot extends ManagedServer, DovecotAddress {
  /**
   * Addresses and password of the Dovecot server as plain data, to be passed to another process.
   */
  readonly address: DovecotAddress
  /**
   * Delivers a message by LMTP to the INBOX of a user. `user` is a user name or an address at
   * mail.test. A mailbox is created when it is first used.
   */
  deliver(user: string, rfc822: string | Uint8Array): Promise<void>
  /** Stops the Dovecot server and deletes all mail. */
  destroy(): Promise<void>
}

/**
 * Starts Dovecot 2.3 with IMAP (including STARTTLS and TLS), LMTP and submission. Every user name
 * exists and has the password `secret`, so tests create users by naming them. If this process runs
 * as root, the mail files belong to an unprivileged user.
 */
export async function startDovecot(options: DovecotOptions): Promise<Dovecot> {
  const { dir, cache, record } = options
  const program = await findDovecot(cache)
  await mkdir(dir, { recursive: true })
  const directory = await createDataDirectory(dir)
  const ports = await loadOrCreateState<DovecotPorts>(
    join(dir, 'dovecot.json'),
    () => freePorts('imap', 'imaps', 'lmtp', 'submission', 'relay'),
    options.ports,
  )
  const password = 'secret'
  const setup = { ...options, directory, ports, password, program }
  const server = await manageServer(async () => {
    const running = await launch({
      ...commandLine(program, await configureDovecot(setup)),
      env: program.env,
      cwd: directory.dir,
      logFile: join(directory.dir, 'dovecot.log'),
      record,
      name: 'dovecot',
    })
    await waitUntilReady({ name: 'Dovecot', process: running }, () =>
      expectGreeting(ports.imap, '* OK'),
    )
    await waitUntilReady({ name: "Dovecot's LMTP", process: running }, () =>
      expectGreeting(ports.lmtp, '220'),
    )
    return [running]
  })
  const address: DovecotAddress = {
    host: '127.0.0.1',
    imapPort: ports.imap,
    imapsPort: ports.imaps,
    lmtpPort: ports.lmtp,
    submissionPort: ports.submission,
    relayPort: ports.relay,
    certPath: join(directory.dir, 'tls.crt'),
    password,
  }
  return Object.assign(server, address, {
    address,
    deliver: (user: string, rfc822: string | Uint8Array) => deliver(ports.lmtp, user, rfc822),
    async destroy() {
      await server.stop()
      await rm(directory.dir, { recursive: true, force: true })
      await rm(dir, { recursive: true, force: true })
    },
  })
}

/**
 * Command that starts Dovecot. Dovecot looks in /usr/bin for the program doveconf, through which it
 * reads its configuration. A downloaded Dovecot is therefore started by the downloaded doveconf
 * (`-e`).
 */
function commandLine(
  { root }: DovecotProgram,
  config: string,
): { command: string; args: string[] } {
  if (root === undefined) return { command: '/usr/sbin/dovecot', args: ['-F', '-c', config] }
  const dovecot = join(root, 'usr/sbin/dovecot')
  return {
    command: join(root, 'usr/bin/doveconf'),
    args: [
      '-f',
      'service=master',
      '-c',
      config,
      '-m',
      'master',
      '-p',
      '-e',
      dovecot,
      '-F',
      '-c',
      config,
    ],
  }
}
