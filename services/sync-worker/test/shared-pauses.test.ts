import { afterAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { providerFaults } from '@posthorn/testkit/providers'
import { gmailFailures } from '@posthorn/testkit/providers/gmail'
import { gmailWorld } from './gmail-world.ts'

const world = await gmailWorld()
afterAll(() => world.close())

const often = { apiPollMs: 200, apiPollNotifiedMs: 200 }

test('a limit of the whole Google project pauses its accounts in all processes, and is counted', async () => {
  const { gmail } = world
  const workers = [await world.startGmailWorker(often), await world.startGmailWorker(often)]
  const accounts = await Promise.all(Array.from({ length: 6 }, () => world.register()))
  for (const { account } of accounts) await world.connected(account)
  gmail.on(
    'history.list',
    providerFaults.times(1, providerFaults.replies(gmailFailures.projectLimit('600'))),
  )
  const paused = /^posthorn_provider_paused_seconds_total\{[^}]*scope="application"[^}]*\} (\d+)/m
  await eventually(async () => {
    const texts = await Promise.all(
      workers.map(async ({ port }) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()),
    )
    for (const text of texts) {
      const seconds = Number(paused.exec(text)?.[1])
      expect(seconds).toBeGreaterThanOrEqual(600)
      // Each worker counts one rate limit, although the worker whose request was refused receives
      // its own broadcast.
      expect(seconds).toBeLessThan(900)
    }
    const refused = texts.filter((text) =>
      /^posthorn_provider_rate_limited_total\{[^}]*method="history.list"[^}]*\} 1$/m.test(text),
    )
    expect(refused).toHaveLength(1)
    expect(texts.join('\n')).toMatch(
      /^posthorn_provider_quota_units_total\{[^}]*method="getProfile"[^}]*\} [1-9]/m,
    )
  })
})
