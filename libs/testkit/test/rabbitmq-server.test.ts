import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { listVhosts, startRabbit } from '@posthorn/local'
import { cacheDirectory } from '@posthorn/local/paths'
import { eventually } from '@posthorn/testkit'
import { scratch } from './scratch.ts'

const { dir, processes, remove } = await scratch()
const server = await startRabbit({ dir: join(dir, 'rabbitmq'), cache: cacheDirectory(process.env) })
const url = await server.vhost('shop')
afterAll(() => server.destroy().then(remove))

/**
 * Sends one request about queues to RabbitMQ's management API. The API closes a connection that is
 * slow or idle for 5 s, so on a busy machine a request may fail.
 */
async function queues(method = 'GET', path = ''): Promise<string[]> {
  const { origin, username, password } = new URL(server.api)
  const response = await fetch(`${origin}/api/queues/shop${path}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
      'content-type': 'application/json',
    },
    ...(method === 'PUT'
      ? { body: JSON.stringify({ durable: true, arguments: { 'x-queue-type': 'quorum' } }) }
      : {}),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`)
  return method === 'GET'
    ? ((await response.json()) as { name: string }[]).map(({ name }) => name)
    : []
}

test('startRabbit: creates a virtual host once and drops it', async () => {
  await server.vhost('another')
  expect(await server.vhost('shop')).toBe(url)
  await server.dropVhost('another')
  expect(await listVhosts(server)).toEqual(['/', 'shop'])
})

test('startRabbit: after kill and restart, keeps the port and its queues', async () => {
  await eventually(() => queues('PUT', '/orders'))
  await server.kill()
  await expect(queues()).rejects.toThrow()
  await server.restart()
  expect(await server.vhost('shop')).toBe(url)
  expect(await eventually(async () => (await queues()).length > 0 && queues())).toEqual(['orders'])
})

test('Rabbit.wipe: keeps address and virtual hosts, deletes their content', async () => {
  await server.wipe()
  expect(await listVhosts(server)).toEqual(['/', 'shop'])
  expect(await eventually(() => queues())).toEqual([])
})

test('startRabbit: stop leaves no process, not even epmd', async () => {
  expect(processes().length).toBeGreaterThan(0)
  await server.stop()
  await eventually(() => expect(processes()).toEqual([]))
  await server.restart()
  await expect(listVhosts(server)).resolves.toContain('shop')
})
