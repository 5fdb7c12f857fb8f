import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { findPrivateKeys, findSecrets } from './layers.ts'

const folder = mkdtempSync(join(tmpdir(), 'layers-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = join(folder, 'layer.tar')

function findIn(content: string): string[] {
  writeFileSync(file, Buffer.concat([Buffer.from([0, 255]), Buffer.from(content)]))
  return findSecrets([file], { token: 'pässword-of-the-run' })
}

test('findSecrets: finds a secret of the run', () => {
  expect(findIn('a pässword-of-the-run\n')).toEqual([`token in ${file}`])
})

test('findPrivateKeys: finds keys, also in JSON, but not their header alone', () => {
  const { privateKey } = generateKeyPairSync('ed25519')
  const key = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  writeFileSync(file, `${key}${JSON.stringify({ key })}'-----BEGIN PRIVATE KEY-----' + text`)
  const beginning = key.split('\n')[1]?.slice(0, 24)
  expect(findPrivateKeys([file])).toEqual([beginning, beginning])
})
