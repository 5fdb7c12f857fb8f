import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { greets } from './greets.ts'
import { launch } from './launch.ts'
import { begin, untilReady } from './life.ts'
import {
  asOutgoing,
  chooseOutgoingPorts,
  type Outgoing,
  type OutgoingOptions,
  type OutgoingPorts,
  portNames,
} from './outgoing.ts'
import { fetchServer, foldersFor, makeOwnRoot, within } from './own-root.ts'
import { rememberState } from './state-file.ts'
import { fillTemplate } from './template.ts'

const templates = join(import.meta.dirname, '../../opensmtpd')
const check = 'etc/check-password'

/**
 * OpenSMTPD 7, for tests: submission with STARTTLS and TLS, DSN. Any user name is a user, `secret` is everyone's password. Never an
 * installed one. Needs root.
 */
export async function startOpenSmtpd(options: OutgoingOptions): Promise<Outgoing> {
  const { dir, cache, record } = options
  const packages = await fetchServer('OpenSMTPD', {
    dir: join(cache, 'opensmtpd'),
    suite: 'trixie', // 6.8, in bookworm, cannot do TLS with the OpenSSL it comes with
    packages: ['opensmtpd', 'dash', 'libpam-modules'],
  })
  await mkdir(dir, { recursive: true })
  const root = join(dir, 'root')
  const ports = await rememberState<OutgoingPorts>(join(dir, 'opensmtpd.json'), chooseOutgoingPorts)
  const password = 'secret'
  await makeOwnRoot(packages, { root, users: { opensmtpd: 65_532, opensmtpq: 65_533 } })
  await configure(root, { ...portNames(ports, options), PASSWORD: password, CHECK: `/${check}` })
  const life = await begin(async () => {
    const running = await launch({
      ...within(root, '/usr/sbin/smtpd', ['-d', '-f', '/etc/smtpd.conf']),
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
      logFile: join(dir, 'opensmtpd.log'),
      record,
      name: 'opensmtpd',
    })
    await untilReady({ what: 'OpenSMTPD', running }, () => greets(ports.submission, '220'))
    return [running]
  })
  return asOutgoing(life, {
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
  await foldersFor(root, 0, [
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
  // It wants to know whom to trust, even where it speaks to nobody over TLS.
  await writeFile(join(root, 'etc/ssl/certs/ca-certificates.crt'), '')
}
