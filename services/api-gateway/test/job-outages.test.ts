import { afterAll, expect, test } from '@jest/globals'
import { cuttable } from './cuttable.ts'
import { testServers } from './gateway.ts'
import {
  addAccounts,
  addSubmissions,
  JobCalls,
  numbered,
  serveSender,
  versions,
} from './job-world.ts'

const servers = await testServers()
const { db, env } = servers
const [postgres, rabbitmq] = [await cuttable(env.DATABASE_URL), await cuttable(env.AMQP_URL)]
const bus = await servers.connectBus()
afterAll(async () => {
  await bus[Symbol.asyncDispose]()
  await servers.stop()
  postgres.close()
  rabbitmq.close()
})
await addAccounts(db, ['sends'])
const commands = await serveSender(bus, () => 'done')

test('startBulkJobs: an outage of RabbitMQ during a job on the outbox fails no submission', async () => {
  const queueIds = numbered('queued', 400)
  await addSubmissions(db, 'sends', queueIds)
  await using gateway = await servers.start({ AMQP_URL: rabbitmq.url })
  const outbox = new JobCalls(gateway.call, 'outboxJobs')
  const accounts = new JobCalls(gateway.call, 'accountJobs')
  const id = await outbox.create({ action: 'hold', filter: {} })
  await outbox.until(id, ({ done }) => done > 10)
  rabbitmq.cut()
  // Bulk jobs that send no commands run during the outage of RabbitMQ.
  const other = await accounts.create({ action: 'reconnect', ids: ['sends'] })
  expect(await accounts.finished(other)).toMatchObject({ done: 1 })
  const during = await outbox.get(id)
  expect(during).toMatchObject({ state: 'running', failed: 0 })
  expect(during.done).toBeLessThan(400)
  await rabbitmq.mend()
  expect(await outbox.finished(id)).toMatchObject({ total: 400, done: 400, failed: 0 })
  expect(new Set(commands.map(({ queueId }) => queueId)).size).toBe(400)
})

test('startBulkJobs: after an outage of Postgres a job continues, no account reconnects twice', async () => {
  await addAccounts(db, numbered('cut', 120))
  await using gateway = await servers.start({ DATABASE_URL: postgres.url })
  const accounts = new JobCalls(gateway.call, 'accountJobs')
  const id = await accounts.create({ action: 'reconnect', filter: { query: 'cut' } })
  await accounts.until(id, ({ done }) => done > 10)
  postgres.cut()
  const before = await versions(db, 'cut')
  expect([...before.values()]).toContain(1)
  await postgres.mend()
  expect(await accounts.finished(id)).toMatchObject({ total: 120, done: 120, failed: 0 })
  expect([...new Set((await versions(db, 'cut')).values())]).toEqual([2])
})
