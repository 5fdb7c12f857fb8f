import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Sealer, StoreWriter } from '@posthorn/emailengine/test-store'
import { withClient } from '@posthorn/local/postgres/client'
import { startTestRedis } from '@posthorn/testkit'
import { startWorld, type WorldAccess } from '../world.ts'
import { buildBundle } from './build-bundle.ts'
import { percentile, type Row } from './report.ts'

const runs = 15
const imported = 10_000
const listed = 100_000
const secret = 'secret of the bench'

/** Runs Node with arguments. Resolves with the output. */
type Run = (...args: string[]) => Promise<{ stdout: string; stderr: string }>

/**
 * Measures the command line `posthorn` of the image: short commands beside a start of Node, an
 * import of EmailEngine beside its limit, and the memory of a long list beside its limit.
 */
export async function benchCommandLine(): Promise<Row[]> {
  await using stack = new AsyncDisposableStack()
  const bundle = await buildBundle(stack)
  const names = ['api-gateway', 'auth-bridge'] as const
  const world = stack.use(await startWorld({ servers: 'own', durable: true, bundle, names }))
  const program = join(bundle, 'posthorn.js')
  const cwd = await mkdtemp(join(tmpdir(), 'posthorn-cli-'))
  stack.defer(() => rm(cwd, { recursive: true }))
  const env = { POSTHORN_URL: world.url, POSTHORN_TOKEN: world.token, HOME: cwd }
  const run: Run = (...args) =>
    promisify(execFile)(process.execPath, args, { cwd, env, maxBuffer: 256 * 1024 * 1024 })
  const idle = await medianMs(() => run('--eval', '0'))
  const rows: Row[] = []
  for (const [line, limit] of [
    ['--help', 150],
    ['status', 300],
  ] as const)
    rows.push({
      what: `posthorn ${line}, median, limit ${limit} ms`,
      measured: await medianMs(() => run(program, line)),
      reference: idle,
      unit: ' ms',
      referenceIs: 'start of Node without a program',
    })
  rows.push(await importRow(run, program, { world, cwd }))
  await addAccounts(world.ownerUrl)
  // Node prints the peak of the memory of `posthorn`, in kB, when it ends.
  const probe =
    "process.on('exit', () => process.stderr.write(`${process.resourceUsage().maxRSS}`))"
  const probed = ['--import', `data:text/javascript,${encodeURIComponent(probe)}`]
  const { stderr } = await run(...probed, program, 'accounts', 'list')
  rows.push({
    what: `posthorn accounts list of ${listed.toLocaleString('en')} accounts, peak of the memory`,
    measured: Number(stderr) / 1_000,
    reference: 100,
    unit: ' MB',
    referenceIs: 'limit',
  })
  return rows
}

/**
 * Measures how long the command `posthorn import emailengine` takes to import the accounts of a
 * Redis database as paused accounts.
 */
async function importRow(
  run: Run,
  program: string,
  { world, cwd }: { world: WorldAccess; cwd: string },
): Promise<Row> {
  const redis = await startTestRedis()
  try {
    const url = `${redis.url}/0`
    await writeStore(url)
    await writeFile(join(cwd, 'secret.txt'), secret)
    const line = [
      'import',
      'emailengine',
      '--redis',
      url,
      '--secret-file',
      'secret.txt',
      '--paused',
    ]
    const start = performance.now()
    await run(program, ...line)
    const seconds = (performance.now() - start) / 1_000
    const { total } = await world.posthorn.listAccounts({ pageSize: 1 })
    if (total !== imported) throw new Error(`${total} of ${imported} accounts were imported`)
    return {
      what: `posthorn import emailengine, ${imported.toLocaleString('en')} accounts`,
      measured: seconds,
      reference: 60,
      unit: ' s',
      referenceIs: 'limit',
    }
  } finally {
    await redis.destroy()
  }
}

async function writeStore(url: string): Promise<void> {
  await using writer = await new StoreWriter(url).connect()
  const sealer = new Sealer(secret)
  for (let number = 0; number < imported; number += 1) {
    const user = `user-${number}`
    const server = { host: 'mail.example.com', auth: { user, pass: sealer.seal('password') } }
    await writer.account(`account-${number}`, {
      name: user,
      email: `${user}@example.com`,
      imap: JSON.stringify({ ...server, port: 993, secure: true }),
      smtp: JSON.stringify({ ...server, port: 465, secure: true }),
    })
  }
}

/** Copies an account in the database until the measured list of accounts has its full length. */
function addAccounts(ownerUrl: string): Promise<void> {
  return withClient(ownerUrl, async (client) => {
    await client.query(
      `insert into accounts select copy.* from accounts a, generate_series(1, $1::int) n,
         jsonb_populate_record(a, jsonb_build_object('account', 'copy-' || n)) copy
       where a.account = 'account-0'`,
      [listed - imported],
    )
    await client.query('analyze accounts')
  })
}

/** Median duration of a measured call in milliseconds. */
async function medianMs(call: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < runs; round += 1) {
    const start = performance.now()
    await call()
    times.push(performance.now() - start)
  }
  return percentile(times, 50)
}
