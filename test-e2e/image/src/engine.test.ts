import { tmpdir } from 'node:os'
import { afterEach, expect, test } from '@jest/globals'
import { EngineUnavailableError, openEngine } from './engine.ts'

const { PATH } = process.env
afterEach(() => void (process.env['PATH'] = PATH))

test('openEngine: without the Docker client, rejects with the package to install', async () => {
  process.env['PATH'] = '/nonexistent'
  const failure = openEngine(tmpdir())
  await expect(failure).rejects.toThrow(EngineUnavailableError)
  await expect(failure).rejects.toThrow('docker not found, install the package docker.io')
})
