import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { checkout } from '@posthorn/local/paths'
import { hasBrowser } from '@posthorn/testkit'
import { type AdminWorld, startAdminWorld } from '../admin/admin-world.ts'
import { benchForwardedCalls } from './admin/calls.ts'
import { benchDashboards } from './admin/dashboards.ts'
import { benchAccountLists } from './admin/lists.ts'
import { benchPaint } from './admin/paint.ts'
import { setUpPerson } from './admin/people.ts'
import { benchSignInFlood } from './admin/sign-in-flood.ts'
import { buildBundle } from './build-bundle.ts'
import { containerOptions } from './container-options.ts'
import type { Row } from './report.ts'
import { residentBytes } from './resident-bytes.ts'

/** Time after the start of admin-ui at which its memory is read, in milliseconds. */
const idleMs = 60_000

/**
 * Builds the administration pages and measures admin-ui as in the image: memory, lists of 100,000
 * accounts, paint in Chromium, forwarded calls, open dashboards and a flood of sign-ins.
 */
export async function* benchAdminPages(): AsyncGenerator<Row> {
  if (spawnSync('make', ['admin-ui'], { cwd: checkout, stdio: 'inherit' }).status !== 0)
    throw new Error('the administration pages could not be built')
  await using stack = new AsyncDisposableStack()
  const options = await containerOptions()
  const world = stack.use(
    await startAdminWorld([], {
      bundle: await buildBundle(stack),
      // admin-ui reads the addresses of the flood of sign-ins from X-Forwarded-For.
      envByService: {
        ...options,
        'admin-ui': { ...options['admin-ui'], SVC_TRUSTED_PROXIES: '127.0.0.1' },
      },
    }),
  )
  yield await benchIdleMemory(world)
  const stage = { world, owner: await setUpPerson(world) }
  // The measurement of account lists fills the table of accounts for the later measurements.
  yield* await benchAccountLists(stage)
  if (hasBrowser()) yield* await benchPaint(stage)
  yield* await benchForwardedCalls(stage)
  yield* await benchDashboards(stage)
  // The flood of sign-ins is last, because it uses up the attempts to sign in of its network
  // address.
  yield* await benchSignInFlood(stage)
}

async function benchIdleMemory({ services }: AdminWorld): Promise<Row> {
  const bare = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e8)'])
  try {
    await delay(idleMs)
    return {
      what: 'idle admin-ui, resident memory after 1 min, goal 90 MB',
      measured: (await residentBytes(services.pids['admin-ui'] ?? 0)) / 1e6,
      reference: (await residentBytes(bare.pid ?? 0)) / 1e6,
      unit: ' MB',
      referenceIs: 'process of bare Node',
    }
  } finally {
    bare.kill()
    await once(bare, 'exit')
  }
}
