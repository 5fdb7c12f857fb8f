import { setTimeout as delay } from 'node:timers/promises'
import type { AdminWorld } from '../../admin/admin-world.ts'
import { percentile, type Row } from '../report.ts'
import { startPart } from '../start-part.ts'
import { firstAccount } from './lists.ts'
import type { AdminStage } from './people.ts'
import type { SignInFlood, SignInFloodResult } from './sign-in-flood-main.ts'

const rounds = 3
const roundMs = 10_000
/** Interval of the measured API calls in milliseconds. */
const everyMs = 20

/**
 * Measures calls of api-gateway during a flood of sign-ins at admin-ui: from one network address,
 * whose attempts are soon used up, and from changing addresses, whose passwords are hashed. The
 * reference is the same API calls without a flood.
 */
export async function benchSignInFlood({ world }: AdminStage): Promise<Row[]> {
  await using part = await startPart('admin/sign-in-flood-main.ts')
  const quiet: number[] = []
  const floods = (['one address', 'changing addresses'] as const).map((addresses) => ({
    addresses,
    times: [] as number[],
    checked: 0,
    refused: 0,
  }))
  for (let round = 0; round < rounds; round += 1) {
    quiet.push(...(await timeCalls(world)))
    for (const flood of floods) {
      const request = { url: world.pagesUrl, addresses: flood.addresses, ms: roundMs }
      const flooding = part.request<SignInFloodResult>(request satisfies SignInFlood)
      flood.times.push(...(await timeCalls(world)))
      const { checked, refused, failed } = await flooding
      if (failed > 0) throw new Error(`${failed} sign-ins failed`)
      flood.checked += checked
      flood.refused += refused
    }
  }
  return floods.map(({ addresses, times, checked, refused }) => {
    const perSecond = (number: number) => Math.round((number * 1_000) / (rounds * roundMs))
    const rates = `${perSecond(checked)} checked and ${perSecond(refused)} refused per second`
    return {
      what: `getAccount at api-gateway during sign-ins from ${addresses} (${rates}), p99`,
      measured: percentile(times, 99),
      reference: percentile(quiet, 99),
      unit: ' ms',
      referenceIs: 'without sign-ins',
    }
  })
}

/** Durations of API calls that start at fixed times, also while earlier calls are in flight. */
async function timeCalls({ url, token }: AdminWorld): Promise<number[]> {
  const headers = { authorization: `Bearer ${token}` }
  const call = async () => {
    const start = performance.now()
    const response = await fetch(`${url}/v1/account/${firstAccount}`, { headers })
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`getAccount: ${response.status}`)
    return performance.now() - start
  }
  const calls: Promise<number>[] = []
  const startedAt = performance.now()
  for (let at = 0; at < roundMs; at += everyMs) {
    await delay(Math.max(0, startedAt + at - performance.now()))
    calls.push(call())
  }
  return Promise.all(calls)
}
