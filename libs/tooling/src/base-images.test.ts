import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { listBaseImages, listUnpinnedImages, recordDigests } from './base-images.ts'
import { root } from './commands.ts'

const digestOf = (text: string) =>
  `sha256:${Buffer.from(text).toString('hex').padEnd(64, '0').slice(0, 64)}`
const resolve = (reference: string) => Promise.resolve(`${digestOf(reference)}\n`)

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'posthorn-base-images-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  writeFileSync(join(folder, file), text)
}
const read = (file: string) => readFileSync(join(folder, file), 'utf8')

test('listBaseImages: finds the images of this project', () => {
  const names = listBaseImages().map(
    ({ file, reference }) => `${file}: ${reference.replace(/@.*/, '')}`,
  )
  expect(names).toEqual([
    '.github/workflows/ci.yaml: node:24-bookworm',
    'deploy/Dockerfile: node:24-trixie-slim',
    'deploy/Dockerfile: debian:trixie-slim',
    'deploy/compose.yaml: postgres:18',
    'deploy/compose.yaml: rabbitmq:4-management',
  ])
})

test.each([
  ['deploy/Dockerfile', 'FROM debian:12\n', ['debian:12']],
  ['deploy/Dockerfile', 'FROM --platform=linux/amd64 debian AS a\nFROM a\n', ['debian']],
  ['deploy/Dockerfile', 'ARG BASE=debian:12\nARG X=y\nFROM $BASE\n', ['debian:12']],
  ['deploy/Dockerfile', 'FROM scratch\nCOPY --chown=1 --from=busybox:1 /a /b\n', ['busybox:1']],
  ['deploy/Dockerfile', '# syntax=docker/dockerfile:1\n', ['docker/dockerfile:1']],
  ['deploy/tools/Dockerfile', 'from debian:12\n', ['debian:12']],
  ['k8s/base/a.yaml', 'image: posthorn\n---\n  - image: "nginx"\n', ['nginx']],
  ['k8s/base/a.yaml', '# image: nginx\nx: { image: nginx:1, name: a }\n', ['nginx:1']],
  ['.github/workflows/a.yml', '    container:\n      image: node:24\n', ['node:24']],
  ['deploy/compose.yaml', `image: a@sha256:${'0'.repeat(63)}\n`, [`a@sha256:${'0'.repeat(63)}`]],
  ['deploy/compose.yaml', `image: postgres:18@sha256:${'0'.repeat(64)}\n`, []],
])('listUnpinnedImages: %s with %j', (file, text, references) => {
  write(file, text)
  expect(listUnpinnedImages(folder).map(({ reference }) => reference)).toEqual(references)
})

test('recordDigests: pins all images of this project, keeps everything else', async () => {
  for (const file of new Set(listBaseImages().map((image) => image.file))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(root, file), join(folder, file))
  }
  await recordDigests(resolve, folder)
  expect(listUnpinnedImages(folder)).toEqual([])
  expect(listBaseImages(folder)).toHaveLength(listBaseImages().length)
  expect(read('.github/workflows/ci.yaml')).toContain(
    `image: node:24-bookworm@${digestOf('node:24-bookworm')}\n`,
  )
  const tags = (text: string) => text.replaceAll(/@sha256:[0-9a-f]{64}/g, '')
  for (const file of globSync('**/*.*', { cwd: folder }))
    expect(tags(read(file))).toBe(tags(readFileSync(join(root, file), 'utf8')))
})

test('recordDigests: replaces an earlier digest by that of the tag', async () => {
  write('deploy/compose.yaml', `image: postgres:18@${digestOf('earlier')}\n`)
  await recordDigests(resolve, folder)
  expect(read('deploy/compose.yaml')).toBe(`image: postgres:18@${digestOf('postgres:18')}\n`)
})

test('recordDigests: changes no file if one image has no digest', async () => {
  const text = 'image: postgres:18\n---\nimage: rabbitmq:4\n'
  write('deploy/compose.yaml', text)
  const resolveOne = (reference: string) =>
    Promise.resolve(reference === 'postgres:18' ? digestOf('a') : '<no value>')
  await expect(recordDigests(resolveOne, folder)).rejects.toThrow(
    'the registry gave no digest for rabbitmq:4',
  )
  expect(read('deploy/compose.yaml')).toBe(text)
})
