import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { configureDovecot, type DovecotPorts, type TokenMechanism } from './dovecot-config.ts'
import { type DovecotProgram, findDovecot } from './dovecot-program.ts'
import { greets } from './greets.ts'
import { begin, type Life, untilReady } from './life.ts'
import { freePorts } from './ports.ts'
import { launch } from './launch.ts'
import { rememberState } from './state-file.ts'
import { placeFor } from './unprivileged.ts'

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

export interface Dovecot extends Life, DovecotAddress {
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
  const place = await placeFor(dir)
  const ports = await rememberState<DovecotPorts>(
    join(dir, 'dovecot.json'),
    choosePorts,
    options.ports,
  )
  const password = 'secret'
  const setup = {
    place,
    ports,
    password,
    program,
    ...(introspectionUrl === undefined ? {} : { introspectionUrl }),
    ...(tokenMechanisms === undefined ? {} : { tokenMechanisms }),
    ...(tls === undefined ? {} : { tls }),
  }
  const life = await begin(async () => {
    const running = await launch({
      ...commandLine(program, await configureDovecot(setup)),
      env: program.env,
      cwd: place.dir,
      logFile: join(place.dir, 'dovecot.log'),
      record,
      name: 'dovecot',
    })
    await untilReady({ what: 'Dovecot', running }, () => greets(ports.imap, '* OK'))
    await untilReady({ what: "Dovecot's LMTP", running }, () => greets(ports.lmtp, '220'))
    return [running]
  })
  return Object.assign(life, {
    host: '127.0.0.1',
    imapPort: ports.imap,
    imapsPort: ports.imaps,
    lmtpPort: ports.lmtp,
    submissionPort: ports.submission,
    relayPort: ports.relay,
    certPath: join(place.dir, 'tls.crt'),
    password,
    deliver: (user: string, rfc822: string | Uint8Array) => deliver(ports.lmtp, user, rfc822),
    async destroy() {
      await life.stop()
      await rm(place.dir, { recursive: true, force: true })
      await rm(dir, { recursive: true, force: true })
    },
  })
}

/** How to reach a Dovecot, without the means to stop it. */
export function addressOf(dovecot: DovecotAddress): DovecotAddress {
  const { host, imapPort, imapsPort, lmtpPort, submissionPort, relayPort, certPath, password } =
    dovecot
  return { host, imapPort, imapsPort, lmtpPort, submissionPort, relayPort, certPath, password }
}

/** Puts a message into a user's inbox through an LMTP server on this machine. */
export async function deliver(
  lmtpPort: number,
  user: string,
  rfc822: string | Uint8Array,
): Promise<void> {
  const to = user.includes('@') ? user : `${user}@mail.test`
  const transport = createTransport({
    host: '127.0.0.1',
    port: lmtpPort,
    lmtp: true,
    ignoreTLS: true,
    connectionTimeout: 5_000,
    socketTimeout: 30_000,
  })
  try {
    await transport.sendMail({
      envelope: { from: 'sender@mail.test', to },
      raw: typeof rfc822 === 'string' ? rfc822 : Buffer.from(rfc822),
    })
  } finally {
    transport.close()
  }
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
