import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { configureCyrus, type CyrusFiles, type CyrusPorts } from './config.ts'
import { type CyrusProgram, findCyrus } from './program.ts'
import { deliver } from '../mail-hub/lmtp.ts'
import { launch, type ServerProcess } from '../process/launch.ts'
import {
  expectGreeting,
  manageServer,
  type ManagedServer,
  waitUntilReady,
} from '../process/managed-server.ts'
import { startSaslauthd } from '../saslauthd/server.ts'
import { freePorts } from '../process/ports.ts'
import { loadOrCreateState } from '../files/state-file.ts'
import {
  type DataDirectory,
  createDataDirectory,
  socketDirectory,
} from '../files/data-directory.ts'

export interface CyrusOptions {
  /** Kept: ports, logs, certificate and the mail. */
  dir: string
  /** Where fetched packages are kept, for all to share. */
  cache: string
  /** Where to note its processes; they then go on when we end. */
  record?: string | undefined
}

/** How to reach a Cyrus; what a test is told of one that runs elsewhere. */
export interface CyrusAddress {
  host: string
  imapPort: number
  imapsPort: number
  lmtpPort: number
  /** PEM file of the certificate, which signs itself. */
  certPath: string
  /** Of every user. */
  password: string
}

export interface Cyrus extends ManagedServer, CyrusAddress {
  /** Puts a message into the user's inbox, by LMTP. `user` is a name or an address @mail.test; mailboxes come into being on first use. */
  deliver(user: string, rfc822: string | Uint8Array): Promise<void>
  /** Stops it and removes all mail. */
  destroy(): Promise<void>
}

/**
 * Cyrus imapd 3.6, for tests: IMAP (with STARTTLS and TLS) and LMTP. Any user name is a user, `secret` is everyone's password: tests make
 * fresh users by naming them.
 *
 * When we are root, it runs as `nobody`.
 */
export async function startCyrus({ dir, cache, record }: CyrusOptions): Promise<Cyrus> {
  const program = await findCyrus(cache)
  await mkdir(dir, { recursive: true })
  const directory = await createDataDirectory(await socketDirectory(dir))
  const ports = await loadOrCreateState<CyrusPorts>(join(dir, 'cyrus.json'), choosePorts)
  const password = 'secret'
  const files = await configureCyrus({ directory, ports, program })
  const server = await manageServer(async () => {
    const logins = await startSaslauthd({
      dir,
      record,
      name: 'cyrus-logins',
      socket: files.saslauthdSocket,
      password,
    })
    try {
      return [await startMaster({ dir, record, files, directory, program, ports }), logins]
    } catch (error) {
      process.kill(logins.id.pid)
      throw error
    }
  })
  return Object.assign(server, {
    host: '127.0.0.1',
    imapPort: ports.imap,
    imapsPort: ports.imaps,
    lmtpPort: ports.lmtp,
    certPath: join(directory.dir, 'tls.crt'),
    password,
    deliver: (user: string, rfc822: string | Uint8Array) => deliver(ports.lmtp, user, rfc822),
    async destroy() {
      await server.stop()
      for (const folder of [directory.dir, dir]) await rm(folder, { recursive: true, force: true })
    },
  })
}

/** How to reach a Cyrus, without the means to stop it. */
export function toCyrusAddress(cyrus: CyrusAddress): CyrusAddress {
  const { host, imapPort, imapsPort, lmtpPort, certPath, password } = cyrus
  return { host, imapPort, imapsPort, lmtpPort, certPath, password }
}

async function choosePorts(): Promise<CyrusPorts> {
  const [imap = 0, imaps = 0, lmtp = 0] = await freePorts(3)
  return { imap, imaps, lmtp }
}

interface Starting {
  dir: string
  record: string | undefined
  files: CyrusFiles
}

async function startMaster({
  dir,
  record,
  files,
  directory,
  program,
  ports,
}: Starting & {
  directory: DataDirectory
  program: CyrusProgram
  ports: CyrusPorts
}): Promise<ServerProcess> {
  const running = await launch({
    command: join(program.bin, 'master'),
    // In the foreground (-D).
    args: [
      '-D',
      '-C',
      files.imapdConf,
      '-M',
      files.cyrusConf,
      '-p',
      join(directory.dir, 'conf/pid'),
    ],
    env: program.env,
    cwd: directory.dir,
    ...directory.owner,
    logFile: join(dir, 'cyrus.log'),
    record,
    name: 'cyrus',
  })
  await waitUntilReady({ name: 'Cyrus', process: running }, () =>
    expectGreeting(ports.imap, '* OK'),
  )
  await waitUntilReady({ name: "Cyrus' LMTP", process: running, timeoutMs: 15_000 }, () =>
    expectGreeting(ports.lmtp, '220'),
  )
  return running
}
