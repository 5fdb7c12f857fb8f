import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { checkout } from '@posthorn/local'
import { eventually } from '@posthorn/testkit'
import { scratch } from './scratch.ts'

const { dir, processes, remove } = await scratch()
afterAll(remove)

test('guard.sh: servers end when their starter is killed', async () => {
  const module = join(checkout, 'deploy/local/src/index.ts')
  const script = `
    const { startPostgres, startDovecot } = await import(${JSON.stringify(module)})
    const dir = ${JSON.stringify(dir)}
    await Promise.all([startPostgres({ dir: dir + '/postgres' }), startDovecot({ dir: dir + '/dovecot', cache: ${JSON.stringify(join(checkout, '.local'))} })])
    console.log('up')
    setInterval(() => undefined, 1000)`
  const starter = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(starter, 'exit')
  await once(starter.stdout, 'data')
  const before = processes().length
  starter.kill('SIGKILL')
  await exited
  expect(before).toBeGreaterThan(2)
  await eventually(() => expect(processes()).toEqual([]))
})
