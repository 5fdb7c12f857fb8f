import { chmod, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { DovecotProgram } from './program.ts'
import { createServerCertificate } from '../files/certificate.ts'
import { fillTemplate } from '../files/template.ts'
import {
  createServerDirectory,
  type DataDirectory,
  type OwnerNames,
  ownerNames,
} from '../files/data-directory.ts'

const templates = join(import.meta.dirname, '../../../dovecot')

export interface DovecotPorts {
  imap: number
  imaps: number
  lmtp: number
  submission: number
  /** Port of the SMTP server to which Dovecot relays submitted mail, usually the mail hub. */
  relay: number
}

export interface DovecotFeatures {
  /**
   * Introspection endpoint (RFC 7662) by which Dovecot checks XOAUTH2 and OAUTHBEARER tokens.
   * Without the endpoint, these mechanisms are not offered.
   */
  introspectionUrl?: string
  /**
   * SASL mechanisms that Dovecot offers for access tokens if `introspectionUrl` is set. Defaults to
   * XOAUTH2 and OAUTHBEARER.
   */
  tokenMechanisms?: readonly ('xoauth2' | 'oauthbearer')[]
  /** True to offer STARTTLS and TLS on Dovecot's ports. Defaults to true. */
  tls?: boolean
}

export interface DovecotSetup extends DovecotFeatures {
  directory: DataDirectory
  ports: DovecotPorts
  password: string
  program: DovecotProgram
}

/**
 * Writes the configuration of Dovecot and, on the first start, its certificate. Returns the path of
 * the configuration file.
 */
export async function configureDovecot(setup: DovecotSetup): Promise<string> {
  const { directory, program } = setup
  const data = directory.dir
  for (const folder of ['mail', 'state'])
    await createServerDirectory(join(data, folder), directory.owner)
  // Removes the Unix sockets that a killed Dovecot server has left.
  await rm(join(data, 'run'), { recursive: true, force: true })
  await createServerCertificate(data)
  const { root } = program
  if (root !== undefined) {
    await createServerDirectory(join(data, 'run'), {})
    await chmod(join(data, 'run'), 0o755)
    await symlink(join(root, 'usr/lib/dovecot/modules'), join(data, 'run/modules'))
  }
  const values = placeholders(setup, await ownerNames(directory))
  await fillTemplate(join(templates, 'oauth2.conf.ext.in'), join(data, 'oauth2.conf.ext'), values)
  const file = join(data, 'dovecot.conf')
  await fillTemplate(join(templates, 'dovecot.conf.in'), file, values)
  return file
}

function placeholders(setup: DovecotSetup, names: OwnerNames): Record<string, string> {
  const { directory, ports, password, program, introspectionUrl } = setup
  const mechanisms = (setup.tokenMechanisms ?? ['xoauth2', 'oauthbearer']).join(' ')
  const oauth =
    introspectionUrl === undefined
      ? ''
      : `passdb {\n  driver = oauth2\n  mechanisms = ${mechanisms}\n  args = ${directory.dir}/oauth2.conf.ext\n}`
  return {
    DATA: directory.dir,
    USER: names.user,
    GROUP: names.group,
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

function fetchedPrograms(root: string, env: Record<string, string>): string {
  const lib = join(root, 'usr/lib/dovecot')
  return [
    `libexec_dir = ${lib}`,
    `mail_plugin_dir = ${lib}/modules`,
    `login_plugin_dir = ${lib}/modules/login`,
    // Dovecot passes only the environment variables in `import_environment` to its processes.
    `import_environment = TZ LD_LIBRARY_PATH=${env['LD_LIBRARY_PATH']}`,
  ].join('\n')
}
