import { afterAll, expect, test } from '@jest/globals'
import { withClient } from '@posthorn/local/postgres/client'
import { eventually } from '@posthorn/testkit'
import { startWorld } from '../world.ts'

const world = await startWorld({ names: ['api-gateway', 'sync-worker'] })
afterAll(() => world[Symbol.asyncDispose]())

const notifications = 3_000
const clients = 30
const mebibyte = 1024 * 1024

/** Value of a metric of sync-worker; 0 if the metric is missing. */
async function workerMetric(line: RegExp): Promise<number> {
  const base = world.services.urls['sync-worker'] ?? ''
  const text = await (await fetch(`${base}/metrics`)).text()
  return Number(new RegExp(`^${line.source} (\\S+)$`, 'm').exec(text)?.[1] ?? 0)
}
const countOf = (outcome: string) =>
  workerMetric(new RegExp(`posthorn_provider_notices_total\\{outcome="${outcome}"[^}]*\\}`))
const memory = () => workerMetric(/posthorn_sync_worker_memory_bytes\{[^}]*\}/)

const scans = () =>
  withClient(world.ownerUrl, async (client) => {
    const { rows } = await client.query<{ scans: string }>(
      `select coalesce(sum(seq_scan + coalesce(idx_scan, 0)), 0) as scans from pg_stat_user_tables
       where relname in ('api_watches', 'oauth2_tokens', 'credentials')`,
    )
    return Number(rows[0]?.scans)
  })

const forge = (at: number) =>
  fetch(`${world.url}/oauth/msg/notification?account=account%20${at % 100}`, {
    method: 'POST',
    body: JSON.stringify({ value: [{ clientState: `guess ${at}`, changeType: 'created' }] }),
  })

test('forged notifications reach the worker, which accepts none and reads nothing', async () => {
  // Notifications of mail providers are dropped until the sync-worker holds all shards.
  await eventually(async () => {
    expect((await forge(0)).status).toBe(202)
    expect(await workerMetric(/posthorn_shards_held\{[^}]*\}/)).toBe(256)
    expect(await countOf('unknown')).toBeGreaterThan(0)
  })
  const before = { scans: await scans(), memory: await memory() }
  let sent = 0
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (sent < notifications) {
        const response = await forge((sent += 1))
        expect([202, 503]).toContain(response.status)
        await response.arrayBuffer()
      }
    }),
  )
  await eventually(async () => expect(await countOf('unknown')).toBeGreaterThan(notifications / 2))
  expect(await countOf('accepted')).toBe(0)
  // Postgres counts earlier table scans up to 10 s late.
  expect((await scans()) - before.scans).toBeLessThan(notifications / 100)
  expect((await memory()) - before.memory).toBeLessThan(64 * mebibyte)
})
