import { chmod, readFile, rm, symlink } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import type { DovecotProgram } from './program.ts'
import { createServerCertificate } from '../files/certificate.ts'
import { fillTemplate } from '../files/template.ts'
import { createServerDirectory, type DataDirectory } from '../files/data-directory.ts'

const templates = join(import.meta.dirname, '../../../dovecot')

export interface DovecotPorts {
  imap: number
  imaps: number
  lmtp: number
  submission: number
  /** Where Dovecot hands on what is submitted: a `mail-hub.ts`, or any SMTP server on this machine. */
  relay: number
}

export interface DovecotSetup {
  directory: DataDirectory
  ports: DovecotPorts
  password: string
  program: DovecotProgram
  /** Address (RFC 7662) where XOAUTH2 and OAUTHBEARER tokens are checked; without it they are not offered. */
  introspectionUrl?: string
  /** Default: both. */
  tokenMechanisms?: readonly TokenMechanism[]
  /** Default: there is. */
  tls?: boolean
}

export type TokenMechanism = 'xoauth2' | 'oauthbearer'

/** Writes Dovecot's configuration and, once, its certificate. Returns the file to start it with. */
export async function configureDovecot(setup: DovecotSetup): Promise<string> {
  const { directory, program } = setup
  const data = directory.dir
  for (const folder of ['mail', 'state'])
    await createServerDirectory(join(data, folder), directory.owner)
  await rm(join(data, 'run'), { recursive: true, force: true }) // sockets of a run that was killed
  await createServerCertificate(data)
  const { root } = program
  if (root !== undefined) {
    await createServerDirectory(join(data, 'run'), {})
    await chmod(join(data, 'run'), 0o755)
    await symlink(join(root, 'usr/lib/dovecot/modules'), join(data, 'run/modules'))
  }
  const values = placeholders(setup, await groupName(directory.owner.gid ?? userInfo().gid))
  await fillTemplate(join(templates, 'oauth2.conf.ext.in'), join(data, 'oauth2.conf.ext'), values)
  const file = join(data, 'dovecot.conf')
  await fillTemplate(join(templates, 'dovecot.conf.in'), file, values)
  return file
}

function placeholders(setup: DovecotSetup, group: string): Record<string, string> {
  const { directory, ports, password, program, introspectionUrl } = setup
  const mechanisms = (setup.tokenMechanisms ?? ['xoauth2', 'oauthbearer']).join(' ')
  const oauth =
    introspectionUrl === undefined
      ? ''
      : `passdb {\n  driver = oauth2\n  mechanisms = ${mechanisms}\n  args = ${directory.dir}/oauth2.conf.ext\n}`
  return {
    DATA: directory.dir,
    USER: directory.owner.uid === undefined ? userInfo().username : 'nobody',
    GROUP: group,
    IMAP: String(ports.imap),
    IMAPS: String(ports.imaps),
    LMTP: String(ports.lmtp),
    SUBMISSION: String(ports.submission),
    RELAY: String(ports.relay),
    PASSWORD: password,
    TLS: setup.tls === false ? 'no' : 'yes',
    OAUTH: oauth,
    OAUTH_MECHANISMS: oauth === '' ? '' : ` ${mechanisms}`,
    INTROSPECTION: introspectionUrl ?? '',
    PROGRAMS: program.root === undefined ? '' : fetchedPrograms(program.root, program.env),
  }
}

/** Dovecot wants groups by name, and Debian calls that of nobody nogroup. */
async function groupName(gid: number): Promise<string> {
  const lines = (await readFile('/etc/group', 'utf8')).split('\n').map((line) => line.split(':'))
  return lines.find(([, , id]) => id === String(gid))?.[0] ?? String(gid)
}

function fetchedPrograms(root: string, env: Record<string, string>): string {
  const lib = join(root, 'usr/lib/dovecot')
  return [
    `libexec_dir = ${lib}`,
    `mail_plugin_dir = ${lib}/modules`,
    `login_plugin_dir = ${lib}/modules/login`,
    // Dovecot hands its processes no variables but these.
    `import_environment = TZ LD_LIBRARY_PATH=${env['LD_LIBRARY_PATH']}`,
  ].join('\n')
}
