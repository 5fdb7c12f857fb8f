import { readlinkSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { coreServices } from '@posthorn/local/role-passwords'
import { isFullFaultRun } from '@posthorn/testkit'
import { reportSkip } from '@posthorn/testkit/required-tests'
import { runReleaseJobs } from '../own-servers.ts'
import { buildRelease, missingReason, previousRelease } from './previous-release.ts'
import { listRollbackExceptions } from './rollback-exceptions.ts'
import { continueWork, resealAll, storeWork, type StoredWork } from './rollback-work.ts'
import { type RollingJob, startRollingJob } from './rolling-job.ts'

/** Services that are replaced together: all but auth-bridge, which they need at their start. */
const others = coreServices.filter((name) => name !== 'auth-bridge')
/**
 * Groups of services that are restarted together. `make test-faults` restarts the services one by
 * one.
 */
const restarts = isFullFaultRun ? coreServices.map((name) => [name]) : [['auth-bridge'], others]

const reason = await missingReason(previousRelease)
if (reason !== undefined) reportSkip('upgrade', reason)
const testUpgrade = reason === undefined ? test : test.skip

/** Time to install and build the previous release and to start it, on a busy machine. */
const maxStartMs = 600_000
describe('rolling upgrade from the previous release, restart and rollback, under load', () => {
  const stack = new AsyncDisposableStack()
  const { TEST_BUNDLE: next } = process.env
  if (next === undefined) throw new Error('TEST_BUNDLE is not set, run Jest with its config')
  const bundles = { previous: next, next }
  let job: RollingJob
  let work: StoredWork
  beforeAll(async () => {
    if (reason === undefined) bundles.previous = await buildRelease(previousRelease)
    // Without the previous release, the restarts are tested with this release only.
    const from = reason === undefined ? { bundle: bundles.previous } : {}
    job = stack.use(await startRollingJob({ servers: 'own', ...from }))
    await job.untilWorked()
  }, maxStartMs)
  afterAll(() => stack.disposeAsync())

  testUpgrade(
    'jobs of this release while the previous one runs: no request fails, nothing is cut',
    async () => {
      process.stdout.write(`rolling upgrade: ${await runJobs(bundles.next)}`)
      await job.untilWorked()
    },
  )

  // Order of k8s/README.md: auth-bridge first, because it must unseal values that other services
  // seal.
  testUpgrade(
    'auth-bridge replaced by this release: no request fails, nothing is cut',
    async () => {
      for (const replica of replicasOf('auth-bridge')) await job.replace(replica, bundles.next)
      await job.untilWorked()
    },
  )

  testUpgrade.each([0, 1])(
    'replica %i of all other services replaced: no request fails, nothing is cut',
    async (at) => {
      await replaceReplicas(job, others, { at, bundle: bundles.next })
      await job.untilWorked()
    },
  )

  testUpgrade(
    'after the upgrade: all processes are of this release, which stores work',
    async () => {
      expectProcessesOf(bundles.next)
      work = await storeWork(job.world, stack)
      await resealAll(job.world, bundles.next)
      expect(await listRollbackExceptions(job.world.ownerUrl)).toEqual([])
      await job.untilWorked()
    },
  )

  test.each(restarts.map((names) => [names.join(', '), names] as const))(
    '%s restarted: no request fails, nothing is cut',
    async (_title, names) => {
      for (const at of [0, 1]) await replaceReplicas(job, names, { at, bundle: bundles.next })
      await job.untilWorked()
    },
  )

  test('after all restarts: each accepted message was sent once, and reported once', async () => {
    const work = await job.untilReportedOnce()
    expect(work['submissions']).toBeGreaterThan(0)
    process.stdout.write(`rolling restart of 7 services: ${JSON.stringify(work)}\n`)
  })

  testUpgrade('rollback: jobs of the previous release change nothing', async () => {
    expect(await runJobs(bundles.previous)).toBe('schema is up to date\n')
    await job.untilWorked()
  })

  testUpgrade('rollback of auth-bridge: no request fails, nothing is cut', async () => {
    for (const replica of replicasOf('auth-bridge')) await job.replace(replica, bundles.previous)
    await job.untilWorked()
  })

  testUpgrade.each([0, 1])(
    'rollback of replica %i of all other services: no request fails, nothing is cut',
    async (at) => {
      await replaceReplicas(job, others, { at, bundle: bundles.previous })
      await job.untilWorked()
    },
  )

  testUpgrade('after the rollback: the previous release continues the stored work', async () => {
    expectProcessesOf(bundles.previous)
    await continueWork(job.world, work)
  })

  testUpgrade(
    'after the rollback: each accepted message was sent once, and reported once',
    async () => {
      const done = await job.endWithoutLoss()
      expect(done['submissions']).toBeGreaterThan(0)
      process.stdout.write(`rolling upgrade and rollback of 7 services: ${JSON.stringify(done)}\n`)
    },
  )

  function expectProcessesOf(bundle: string): void {
    for (const [name, pid] of Object.entries(job.world.services.pids))
      expect([name, readlinkSync(`/proc/${pid}/cwd`)]).toEqual([name, bundle])
  }

  /** Runs the jobs `migrate` and `broker-users` of a bundle. Returns the output of `migrate`. */
  function runJobs(bundle: string): Promise<string> {
    const { ownerUrl, rabbit } = job.world
    if (!rabbit) throw new Error('the world has no servers of its own')
    return runReleaseJobs({ ownerUrl, rabbit }, bundle)
  }
})

function replicasOf(name: string): [string, string] {
  return [name, `${name}-2`]
}

/** Replaces one replica of each service, all at the same time. */
async function replaceReplicas(
  job: RollingJob,
  names: readonly string[],
  { at, bundle }: { at: number; bundle: string },
): Promise<void> {
  const replicas = names.map((name) => replicasOf(name)[at] ?? '')
  await Promise.all(replicas.map((replica) => job.replace(replica, bundle)))
}
