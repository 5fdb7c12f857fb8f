import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { configureCyrus, type CyrusFiles, type CyrusPorts } from './cyrus-config.ts'
import { type CyrusProgram, findCyrus } from './cyrus-program.ts'
import { deliver } from './dovecot.ts'
import { launch, type Running } from './launch.ts'
import { begin, type Life, untilReady } from './life.ts'
import { greets } from './greets.ts'
import { startLogins } from './logins.ts'
import { freePorts } from './ports.ts'
import { rememberState } from './state-file.ts'
import { type Place, placeFor, withRoomForSockets } from './unprivileged.ts'

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

export interface Cyrus extends Life, CyrusAddress {
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
  const place = await placeFor(await withRoomForSockets(dir))
  const ports = await rememberState<CyrusPorts>(join(dir, 'cyrus.json'), choosePorts)
  const password = 'secret'
  const files = await configureCyrus({ place, ports, program })
  const life = await begin(async () => {
    const logins = await startLogins({
      dir,
      record,
      name: 'cyrus-logins',
      socket: files.logins,
      password,
    })
    try {
      return [await startMaster({ dir, record, files, place, program, ports }), logins]
    } catch (error) {
      process.kill(logins.id.pid)
      throw error
    }
  })
  return Object.assign(life, {
    host: '127.0.0.1',
    imapPort: ports.imap,
    imapsPort: ports.imaps,
    lmtpPort: ports.lmtp,
    certPath: join(place.dir, 'tls.crt'),
    password,
    deliver: (user: string, rfc822: string | Uint8Array) => deliver(ports.lmtp, user, rfc822),
    async destroy() {
      await life.stop()
      for (const folder of [place.dir, dir]) await rm(folder, { recursive: true, force: true })
    },
  })
}

/** How to reach a Cyrus, without the means to stop it. */
export function cyrusAddressOf(cyrus: CyrusAddress): CyrusAddress {
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
  place,
  program,
  ports,
}: Starting & { place: Place; program: CyrusProgram; ports: CyrusPorts }): Promise<Running> {
  const running = await launch({
    command: join(program.bin, 'master'),
    // In the foreground (-D).
    args: ['-D', '-C', files.imapdConf, '-M', files.cyrusConf, '-p', join(place.dir, 'conf/pid')],
    env: program.env,
    cwd: place.dir,
    ...place.as,
    logFile: join(dir, 'cyrus.log'),
    record,
    name: 'cyrus',
  })
  await untilReady({ what: 'Cyrus', running }, () => greets(ports.imap, '* OK'))
  await untilReady({ what: "Cyrus' LMTP", running, timeoutMs: 15_000 }, () =>
    greets(ports.lmtp, '220'),
  )
  return running
}
