import type { Env } from '@posthorn/config'
import { sleep } from '@posthorn/flow'
import { type App, run } from '../src/run.ts'
import { readServiceConfig } from '../src/service-config.ts'

/**
 * Service process of run.test.ts: its shutdown takes TEST_CLOSE_MS and leaves TEST_UNFINISHED items
 * of work.
 */
const { TEST_CLOSE_MS, TEST_UNFINISHED } = process.env

async function startApp(_config: unknown, stopping: AbortSignal): Promise<App> {
  const work = setInterval(() => undefined, 1_000)
  stopping.addEventListener('abort', () => process.stdout.write('stopping\n'))
  process.stdout.write('started\n')
  return {
    unfinished: () => ({ items: Number(TEST_UNFINISHED), others: 0 }),
    async [Symbol.asyncDispose]() {
      await sleep(Number(TEST_CLOSE_MS))
      clearInterval(work)
    },
  }
}

await run({
  name: 'test',
  env: process.env,
  readConfig: (env: Env) => readServiceConfig(env, { service: 'sender', port: 0 }),
  startApp,
})
