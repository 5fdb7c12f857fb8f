import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { launch } from '../process/launch.ts'
import { expectGreeting, manageServer, waitUntilReady } from '../process/managed-server.ts'
import {
  toOutgoingServer,
  chooseOutgoingPorts,
  type OutgoingServer,
  type OutgoingServerOptions,
  type OutgoingPorts,
  portValues,
} from './server.ts'
import {
  fetchChrootPackages,
  createOwnedDirectories,
  createChroot,
  chrootCommand,
} from './chroot.ts'
import { loadOrCreateState } from '../files/state-file.ts'
import { fillTemplate } from '../files/template.ts'

const templates = join(import.meta.dirname, '../../../opensmtpd')
const check = 'etc/check-password'

/**
 * Starts OpenSMTPD 7 for tests: submission with STARTTLS and TLS, DSN. Every user name exists and
 * has the password `secret`. An installed OpenSMTPD is not used. Needs root.
 */
export async function startOpenSmtpd(options: OutgoingServerOptions): Promise<OutgoingServer> {
  const { dir, cache, record } = options
  const packages = await fetchChrootPackages('OpenSMTPD', {
    dir: join(cache, 'opensmtpd'),
    suite: 'trixie', // OpenSMTPD 6.8, in bookworm, has no working TLS with its OpenSSL.
    packages: ['opensmtpd', 'dash', 'libpam-modules'],
  })
  await mkdir(dir, { recursive: true })
  const root = join(dir, 'root')
  const ports = await loadOrCreateState<OutgoingPorts>(
    join(dir, 'opensmtpd.json'),
    chooseOutgoingPorts,
  )
  const password = 'secret'
  await createChroot(packages, { root, users: { opensmtpd: 65_532, opensmtpq: 65_533 } })
  await configure(root, { ...portValues(ports, options), PASSWORD: password, CHECK: `/${check}` })
  const life = await manageServer(async () => {
    const running = await launch({
      ...chrootCommand(root, '/usr/sbin/smtpd', ['-d', '-f', '/etc/smtpd.conf']),
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
      logFile: join(dir, 'opensmtpd.log'),
      record,
      name: 'opensmtpd',
    })
    await waitUntilReady({ name: 'OpenSMTPD', process: running }, () =>
      expectGreeting(ports.submission, '220'),
    )
    return [running]
  })
  return toOutgoingServer(life, {
    address: {
      host: '127.0.0.1',
      submissionPort: ports.submission,
      submissionsPort: ports.submissions,
      certPath: join(root, 'etc/tls.crt'),
      password,
    },
    folders: [dir],
  })
}

async function configure(root: string, names: Record<string, string>): Promise<void> {
  await createOwnedDirectories(root, 0, [
    'var/lib/opensmtpd/empty',
    'var/spool/smtpd',
    'etc/pam.d',
    'etc/ssl/certs',
  ])
  await chmod(join(root, 'var/spool/smtpd'), 0o711)
  await fillTemplate(join(templates, 'smtpd.conf.in'), join(root, 'etc/smtpd.conf'), names)
  await fillTemplate(join(templates, 'pam.in'), join(root, 'etc/pam.d/smtpd'), names)
  await fillTemplate(join(templates, 'check-password.in'), join(root, check), names)
  await chmod(join(root, check), 0o755)
  await writeFile(join(root, 'etc/mailname'), 'opensmtpd.mail.test\n')
  // A CA file is configured, because OpenSMTPD requires a CA file even if it never connects with
  // TLS.
  await writeFile(join(root, 'etc/ssl/certs/ca-certificates.crt'), '')
}
