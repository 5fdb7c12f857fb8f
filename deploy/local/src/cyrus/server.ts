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
  /**
   * Directory of the ports, logs, certificate and mail of the Cyrus server. The next start of the
   * server uses the directory again.
   */
  dir: string
  /** Directory of downloaded Debian packages, shared by all test servers. */
  cache: string
  /**
   * File to which the processes of Cyrus are recorded. If the file is given, the processes of Cyrus
   * outlive this process.
   */
  record?: string | undefined
}

/** Addresses and password of a Cyrus server, which may run in another process. */
export interface CyrusAddress {
  host: string
  imapPort: number
  imapsPort: number
  lmtpPort: number
  /** PEM file of the Cyrus server's self-signed certificate. */
  certPath: string
  /** Password of every user of the Cyrus server. */
  password: string
}

export interface Cyrus extends ManagedServer, CyrusAddress {
  /** Addresses and password of the Cyrus server as plain data, to be passed to another process. */
  readonly address: CyrusAddress
  /**
   * Delivers a message by LMTP to the INBOX of a user. `user` is a user name or an address at
   * mail.test. A mailbox is created when it is first used.
   */
  deliver(user: string, rfc822: string | Uint8Array): Promise<void>
  /** Stops the Cyrus server and deletes all mail. */
  destroy(): Promise<void>
}

/**
 * Starts Cyrus imapd 3.6 for tests, with IMAP (including STARTTLS and TLS) and LMTP. Every user
 * name exists and has the password `secret`, so tests create users by naming them. If this process
 * runs as root, the server runs as an unprivileged user.
 */
export async function startCyrus({ dir, cache, record }: CyrusOptions): Promise<Cyrus> {
  const program = await findCyrus(cache)
  await mkdir(dir, { recursive: true })
  const directory = await createDataDirectory(await socketDirectory(dir))
  const ports = await loadOrCreateState<CyrusPorts>(join(dir, 'cyrus.json'), () =>
    freePorts('imap', 'imaps', 'lmtp'),
  )
  const password = 'secret'
  const files = await configureCyrus({ directory, ports, program })
  const server = await manageServer(async () => {
    const saslauthd = await startSaslauthd({
      dir,
      record,
      name: 'cyrus-logins',
      socket: files.saslauthdSocket,
      password,
    })
    try {
      return [await startMaster({ dir, record, files, directory, program, ports }), saslauthd]
    } catch (error) {
      process.kill(saslauthd.id.pid)
      throw error
    }
  })
  const address: CyrusAddress = {
    host: '127.0.0.1',
    imapPort: ports.imap,
    imapsPort: ports.imaps,
    lmtpPort: ports.lmtp,
    certPath: join(directory.dir, 'tls.crt'),
    password,
  }
  return Object.assign(server, address, {
    address,
    deliver: (user: string, rfc822: string | Uint8Array) => deliver(ports.lmtp, user, rfc822),
    async destroy() {
      await server.stop()
      for (const folder of [directory.dir, dir]) await rm(folder, { recursive: true, force: true })
    },
  })
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
    // Option `-D` makes Cyrus's master process run in the foreground.
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
