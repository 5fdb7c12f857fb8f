import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { greets } from './greets.ts'
import { launch, type Running } from './launch.ts'
import { begin, untilReady } from './life.ts'
import { startLogins } from './logins.ts'
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
import { withRoomForSockets } from './unprivileged.ts'

const templates = join(import.meta.dirname, '../../postfix')
const postfix = 65_530
/** Where Postfix asks about passwords, in its root. */
const logins = 'run/logins'
/** What Debian's package makes when it is installed. */
const queues =
  'active bounce corrupt defer deferred flush hold incoming private saved trace public maildrop'

/**
 * Postfix 3.7, for tests: submission with STARTTLS and TLS, DSN, SMTPUTF8, PIPELINING. Any user name is a user, `secret` is everyone's
 * password. Never an installed one. Needs root.
 */
export async function startPostfix(options: OutgoingOptions): Promise<Outgoing> {
  const { cache, record } = options
  const packages = await fetchServer('Postfix', {
    dir: join(cache, 'postfix'),
    suite: 'bookworm',
    packages: ['postfix', 'libsasl2-modules'],
  })
  await mkdir(options.dir, { recursive: true })
  const dir = await withRoomForSockets(options.dir)
  const root = join(dir, 'root')
  const ports = await rememberState<OutgoingPorts>(
    join(options.dir, 'postfix.json'),
    chooseOutgoingPorts,
  )
  const password = 'secret'
  await makeOwnRoot(packages, {
    root,
    users: { postfix },
    groups: { postdrop: 65_531 },
  })
  await configure(root, portNames(ports, options))
  const life = await begin(async () => {
    const name = 'postfix-logins'
    const answers = await startLogins({ dir, name, record, password, socket: join(root, logins) })
    try {
      return [await startMaster(root, { ports, record }), answers]
    } catch (error) {
      process.kill(answers.id.pid)
      throw error
    }
  })
  return asOutgoing(life, {
    address: {
      host: '127.0.0.1',
      submissionPort: ports.submission,
      submissionsPort: ports.submissions,
      certPath: join(root, 'etc/tls.crt'),
      password,
    },
    folders: [dir, options.dir],
  })
}

async function configure(root: string, names: Record<string, string>): Promise<void> {
  const etc = join(root, 'etc/postfix')
  await mkdir(join(etc, 'sasl'), { recursive: true })
  for (const file of ['main.cf', 'master.cf', 'transport'])
    await fillTemplate(join(templates, `${file}.in`), join(etc, file), names)
  await fillTemplate(join(templates, 'smtpd.conf.in'), join(etc, 'sasl/smtpd.conf'), {
    LOGINS: `/${logins}`,
  })
  await foldersFor(root, 0, ['var/spool/postfix', 'var/spool/postfix/pid'])
  await foldersFor(root, postfix, [
    'var/lib/postfix',
    ...queues.split(' ').map((queue) => `var/spool/postfix/${queue}`),
  ])
}

async function startMaster(
  root: string,
  { ports, record }: { ports: OutgoingPorts; record: string | undefined },
): Promise<Running> {
  const running = await launch({
    ...within(root, '/usr/lib/postfix/sbin/master', ['-s']), // in the foreground
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    logFile: join(root, 'var/log/maillog'),
    record,
    name: 'postfix',
  })
  await untilReady({ what: 'Postfix', running }, () => greets(ports.submission, '220'))
  return running
}
