import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { startPostgres } from '@posthorn/local'
import { withClient } from '@posthorn/local/postgres/client'
import { eventually } from '@posthorn/testkit'
import { scratch } from './scratch.ts'

const { dir, processes, remove } = await scratch()
const server = await startPostgres({ dir: join(dir, 'postgres'), durable: false })
const url = await server.database('shop')
afterAll(() => server.destroy().then(remove))

const run = (text: string) => withClient(url, (client) => client.query(text))

test('startPostgres: is PostgreSQL 18 with UTF-8, and requires the password', async () => {
  const { rows } = await run(
    "select current_setting('server_version_num')::int / 10000 as major, current_setting('server_encoding') as encoding",
  )
  expect(rows).toEqual([{ major: 18, encoding: 'UTF8' }])
  const wrong = Object.assign(new URL(url), { password: 'wrong' }).href
  await expect(withClient(wrong, (client) => client.query('select 1'))).rejects.toThrow(
    'password authentication failed',
  )
  expect((await stat(join(dir, 'postgres/postgres.json'))).mode & 0o777).toBe(0o600)
})

test('Postgres.database: creating a database twice succeeds', async () => {
  expect(await server.database('shop')).toBe(url)
})

test('startPostgres: after kill and restart, keeps the port and every commit', async () => {
  await run('create table orders (id int)')
  await run('insert into orders values (1)')
  const { pid } = server
  await server.kill()
  await expect(run('select 1')).rejects.toThrow()
  await server.restart()
  expect(server.pid).not.toBe(pid)
  expect((await run('select id from orders')).rows).toEqual([{ id: 1 }])
})

test('startPostgres: paused, does not reply; resumed, continues', async () => {
  await withClient(url, async (client) => {
    server.pause()
    const reply = client.query('select 1 as one')
    const silence = once(AbortSignal.timeout(300), 'abort')
    expect(await Promise.race([reply, silence.then(() => 'silence')])).toBe('silence')
    server.resume()
    expect((await reply).rows).toEqual([{ one: 1 }])
  })
})

test('startPostgres: stop leaves no process, and the server starts again', async () => {
  expect(processes().length).toBeGreaterThan(0)
  await server.stop()
  await eventually(() => expect(processes()).toEqual([]))
  await server.restart()
  expect((await run('select count(*)::int from orders')).rows).toEqual([{ count: 1 }])
})
