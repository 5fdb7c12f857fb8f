import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'

const execute = promisify(execFile)

// The bundler runs in its own process, because it does not accept objects of the contexts of Jest.
test('bundles: are below their limits', async () => {
  const main = join(import.meta.dirname, 'bundled-size-main.ts')
  const { stdout } = await execute(process.execPath, [main])
  const sizes = JSON.parse(stdout) as { name: string; size: number; limit: number }[]
  expect(sizes).toHaveLength(2)
  for (const { size, limit } of sizes) {
    expect(size).toBeGreaterThan(1_000)
    expect(size).toBeLessThan(limit)
  }
})
