import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { configureDovecot, type DovecotPorts, type TokenMechanism } from './config.ts'
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

export interface DovecotOptions {
  /** Kept: ports, log, certificate, and (usually) the mail. */
  dir: string
  /** Where fetched packages are kept, for all to share. */
  cache: string
  /** Ports that must be these; the others are free ones. */
  ports?: Partial<DovecotPorts>
  /** Address (RFC 7662) where XOAUTH2 and OAUTHBEARER tokens are checked; without it they are not offered. */
  introspectionUrl?: string
  /** Those that are offered then; default: both. */
  tokenMechanisms?: readonly TokenMechanism[]
  /** Whether there is STARTTLS, and TLS; default: yes. */
  tls?: boolean
  /** Where to note its processes; they then go on when we end. */
  record?: string | undefined
}

/** How to reach a Dovecot; what a test is told of one that runs elsewhere. */
export interface DovecotAddress {
  host: string
  imapPort: number
  imapsPort: number
  lmtpPort: number
  submissionPort: number
  /** Where it hands on what is submitted. */
  relayPort: number
  /** PEM file of the certificate, which signs itself. */
  certPath: string
  /** Of every user. */
  password: string
}

export interface Dovecot extends ManagedServer, DovecotAddress {
  /** Puts a message into the user's inbox, by LMTP. `user` is a name or an address @mail.test; mailboxes come into being on first use. */
  deliver(user: string, rfc822: string | Uint8Array): Promise<void>
  /** Stops it and removes all mail. */
  destroy(): Promise<void>
}

/**
 * Dovecot 2.3: IMAP (with STARTTLS and TLS), LMTP and submission. Any user name is a user, `secret` is everyone's password: tests make
 * fresh users by naming them.
 *
 * When we are root, mail belongs to `nobody`.
 */
export async function startDovecot(options: DovecotOptions): Promise<Dovecot> {
  const { dir, cache, introspectionUrl, tokenMechanisms, tls, record } = options
  const program = await findDovecot(cache)
  await mkdir(dir, { recursive: true })
  const directory = await createDataDirectory(dir)
  const ports = await loadOrCreateState<DovecotPorts>(
    join(dir, 'dovecot.json'),
    choosePorts,
    options.ports,
  )
  const password = 'secret'
  const setup = {
    directory,
    ports,
    password,
    program,
    ...(introspectionUrl === undefined ? {} : { introspectionUrl }),
    ...(tokenMechanisms === undefined ? {} : { tokenMechanisms }),
    ...(tls === undefined ? {} : { tls }),
  }
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
  return Object.assign(server, {
    host: '127.0.0.1',
    imapPort: ports.imap,
    imapsPort: ports.imaps,
    lmtpPort: ports.lmtp,
    submissionPort: ports.submission,
    relayPort: ports.relay,
    certPath: join(directory.dir, 'tls.crt'),
    password,
    deliver: (user: string, rfc822: string | Uint8Array) => deliver(ports.lmtp, user, rfc822),
    async destroy() {
      await server.stop()
      await rm(directory.dir, { recursive: true, force: true })
      await rm(dir, { recursive: true, force: true })
    },
  })
}

/** How to reach a Dovecot, without the means to stop it. */
export function toDovecotAddress(dovecot: DovecotAddress): DovecotAddress {
  const { host, imapPort, imapsPort, lmtpPort, submissionPort, relayPort, certPath, password } =
    dovecot
  return { host, imapPort, imapsPort, lmtpPort, submissionPort, relayPort, certPath, password }
}

async function choosePorts(): Promise<DovecotPorts> {
  const [imap = 0, imaps = 0, lmtp = 0, submission = 0, relay = 0] = await freePorts(5)
  return { imap, imaps, lmtp, submission, relay }
}

/** Dovecot reads its configuration through doveconf, which it looks for in /usr/bin: a fetched one is started the other way round. */
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
