import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { launch, type ServerProcess } from '../process/launch.ts'
import { expectGreeting, manageServer, waitUntilReady } from '../process/managed-server.ts'
import { startSaslauthd } from '../saslauthd/server.ts'
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
import { socketDirectory } from '../files/data-directory.ts'

const templates = join(import.meta.dirname, '../../../postfix')
const postfix = 65_530
/**
 * Path of the Unix socket at which Postfix has passwords checked, relative to the root directory of
 * Postfix.
 */
const logins = 'run/logins'
/** Names of Postfix's queue directories, which Debian's package creates at installation. */
const queues =
  'active bounce corrupt defer deferred flush hold incoming private saved trace public maildrop'

/**
 * Starts Postfix 3.7 for tests: submission with STARTTLS and TLS, DSN, SMTPUTF8, PIPELINING. Every
 * user name exists and has the password `secret`. An installed Postfix is not used. Needs root.
 */
export async function startPostfix(options: OutgoingServerOptions): Promise<OutgoingServer> {
  const { cache, record } = options
  const packages = await fetchChrootPackages('Postfix', {
    dir: join(cache, 'postfix'),
    suite: 'bookworm',
    packages: ['postfix', 'libsasl2-modules'],
  })
  await mkdir(options.dir, { recursive: true })
  const dir = await socketDirectory(options.dir)
  const root = join(dir, 'root')
  const ports = await loadOrCreateState<OutgoingPorts>(
    join(options.dir, 'postfix.json'),
    chooseOutgoingPorts,
  )
  const password = 'secret'
  await createChroot(packages, {
    root,
    users: { postfix },
    groups: { postdrop: 65_531 },
  })
  await configure(root, portValues(ports, options))
  const life = await manageServer(async () => {
    const name = 'postfix-logins'
    const answers = await startSaslauthd({
      dir,
      name,
      record,
      password,
      socket: join(root, logins),
    })
    try {
      return [await startMaster(root, { ports, record }), answers]
    } catch (error) {
      process.kill(answers.id.pid)
      throw error
    }
  })
  return toOutgoingServer(life, {
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
  await createOwnedDirectories(root, 0, ['var/spool/postfix', 'var/spool/postfix/pid'])
  await createOwnedDirectories(root, postfix, [
    'var/lib/postfix',
    ...queues.split(' ').map((queue) => `var/spool/postfix/${queue}`),
  ])
}

async function startMaster(
  root: string,
  { ports, record }: { ports: OutgoingPorts; record: string | undefined },
): Promise<ServerProcess> {
  const running = await launch({
    // Option `-s` makes Postfix's master process run in the foreground.
    ...chrootCommand(root, '/usr/lib/postfix/sbin/master', ['-s']),
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    logFile: join(root, 'var/log/maillog'),
    record,
    name: 'postfix',
  })
  await waitUntilReady({ name: 'Postfix', process: running }, () =>
    expectGreeting(ports.submission, '220'),
  )
  return running
}
